/** Where an account's own documents and results are in the storage. */

/** @param account undefined for the root, where earlier versions kept what belongs to all accounts */
export const inAccount = (account: string | undefined, ref: string): string =>
  account === undefined ? ref : `accounts/${account}/${ref}`;

/** Where an earlier version kept what is now below an account's folder. */
export const inRoot = (ref: string): string => ref.replace(/^accounts\/[a-z0-9-]+\//, '');
