/** Says where something is about to be done, before it is: which server, namespace and account. */
import type { Config } from '../config';
import type { ConnectionConfig } from '../temporal/connect';
import { tell } from './output';

type Accounts = Config['accounts'];

/** An account, and the service that it is with, where this machine's configuration knows it. */
function accountText(name: string, accounts: Accounts): string {
  const address = Object.hasOwn(accounts, name) ? accounts[name]?.baseUrl : undefined;
  return address === undefined ? `account ${name}` : `account ${name} (${address})`;
}

/** @param what is about to be done, for example `Cancelling convert-lead.default.42` */
export function announce(what: string, { address, namespace }: Pick<ConnectionConfig, 'address' | 'namespace'>): void {
  tell(`${what}, on Temporal ${address}, namespace ${namespace}.`);
}

/** For whom something is done. @param names of accounts @returns '' for none */
export function forAccounts(names: readonly string[], accounts: Accounts): string {
  return names.length === 0 ? '' : ` for ${names.map((name) => accountText(name, accounts)).join(', ')}`;
}
