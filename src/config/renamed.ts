/** Settings of accounts that had other names in earlier versions: they are still read, and said to be old. */
import { isObject } from '../agent-api/shape';

const RENAMED: Readonly<Record<string, string>> = { unshown: 'undocumented' };

/** Where a file has both names, the old one stays and is refused as unknown: nobody can tell which is meant. */
const isRead = (account: Readonly<Record<string, unknown>>, old: string): boolean =>
  Object.hasOwn(account, old) && !Object.hasOwn(account, RENAMED[old] ?? old);

const accountsOf = (content: object): [name: string, account: Readonly<Record<string, unknown>>][] => {
  const { accounts } = content as { accounts?: unknown };
  return isObject(accounts)
    ? Object.entries(accounts).flatMap(([name, one]) => (isObject(one) ? [[name, one]] : []))
    : [];
};

/** What a file says, under the present names. */
export function withPresentNames(content: object): object {
  const renamed = accountsOf(content).map(([name, account]) => [
    name,
    Object.fromEntries(
      Object.entries(account).map(([key, value]) => [isRead(account, key) ? (RENAMED[key] ?? key) : key, value]),
    ),
  ]);
  if (renamed.length === 0) return content;
  return { ...content, accounts: { ...(content as { accounts: object }).accounts, ...Object.fromEntries(renamed) } };
}

/** The old names that a file uses, a sentence for each. */
export const oldNames = (content: object): string[] =>
  accountsOf(content).flatMap(([name, account]) =>
    Object.keys(RENAMED).flatMap((old) =>
      isRead(account, old) ? [`accounts.${name}.${old} is called ${RENAMED[old]} now; the old name is still read`] : [],
    ),
  );
