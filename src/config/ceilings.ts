/** S3: what accounts may spend, by the configuration file as it is now: it is read again when it changes, without a restart. */
import { statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { strictest } from '../ledger';
import type { Account } from './account';
import { ConfigError, sentences } from './problems';
import { withPresentNames } from './renamed';
import { ConfigFile } from './schema';
import { readYaml } from './yaml-file';

/** The part of an account's configuration that is in force without a restart. */
export type Ceilings = Pick<Account, 'budget' | 'timeZone'>;

/** A file that allows more is believed when it has stayed the same for so long: it may be half written. */
const SETTLED_MS = 2_000;

/**
 * Answers the ceilings of an account; each question looks whether the file has changed. What it says more strictly is in
 * force at once. One that cannot be read, or lacks an account, leaves what it said last in force and is logged once.
 */
export function watchCeilings(
  { file, accounts }: { readonly file?: string; readonly accounts: Readonly<Record<string, Account>> },
  log: Logger,
): (account: Account) => Ceilings {
  const held = new Map<string, Ceilings>(Object.values(accounts).map((account) => [account.name, pick(account)]));
  // Those that the file has: others are from the environment, which does not change.
  const written = new Set<string>();
  let version: string | undefined;
  let settling: { since: number; read: Map<string, Ceilings>; before: Map<string, Ceilings> } | undefined;

  function look(path: string): void {
    const found = versionOf(path);
    if (found !== version) {
      const before = settling?.before ?? new Map(held);
      settling = { since: performance.now(), read: readAgain(path), before };
      version = found;
      for (const [name, read] of settling.read) held.set(name, stricter(held.get(name) ?? read, read));
    } else if (settling && performance.now() - settling.since >= SETTLED_MS) {
      for (const [account, read] of settling.read) {
        held.set(account, read);
        if (!isDeepStrictEqual(read, settling.before.get(account)))
          log.info({ file: path, account, ...read }, 'the configuration file has changed, and its budget is in force');
      }
      settling = undefined;
    }
  }

  function readAgain(path: string): Map<string, Ceilings> {
    const read = new Map<string, Ceilings>();
    try {
      const result = ConfigFile.safeParse(withPresentNames(readYaml(path)));
      if (!result.success) throw new ConfigError(sentences(ConfigFile, result.error));
      for (const [name, account] of Object.entries(result.data.accounts))
        if (held.has(name)) read.set(name, pick(account));
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : ['it cannot be read'];
      log.warn(
        { file: path, problems },
        'the configuration file has changed and cannot be used; the budgets that it had last stay in force',
      );
      return read;
    }
    const lacking = [...written].filter((name) => !read.has(name));
    if (lacking.length > 0)
      log.warn(
        { file: path, accounts: lacking },
        'the configuration file lacks accounts that it had; their last budgets stay in force',
      );
    for (const name of read.keys()) written.add(name);
    return read;
  }

  return (account) => {
    if (file !== undefined) look(file);
    return held.get(account.name) ?? account;
  };
}

const pick = ({ budget, timeZone }: Ceilings): Ceilings => ({ budget, timeZone });

const stricter = ({ budget, timeZone }: Ceilings, read: Ceilings): Ceilings => ({
  budget: strictest(budget, read.budget),
  timeZone,
});

/** Changes with the file; symbolic links are followed, as Kubernetes swaps one. Undefined when there is none. */
function versionOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return undefined;
  }
}
