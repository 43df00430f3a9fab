/** `audit-runner doctor`: looks at everything that a worker needs, and says how to mend what is wrong. */
import { setMaxListeners } from 'node:events';
import { type Account, accountOf, type Config, ConfigError, loadConfig } from '../config';
import { area, type Check } from './doctor/check';
import { checkAccount } from './doctor/check-account';
import { checkStorage } from './doctor/check-storage';
import { type Ledgers, NO_LEDGERS, withLedgers } from './doctor/clearance';
import { LIMIT_MS, TooLate, within } from './doctor/limit';
import { checkNode } from './doctor/machine';
import { checkTemporal, SANDBOX_RUNS, unusable } from './doctor/temporal';
import { EXIT } from './exit';
import { print, printJson, styled } from './output';
import { knownServer } from './server';

export interface DoctorOptions {
  config?: string;
  json?: boolean;
}

/** @param limit ends the looking: what was not seen by then is unknown */
export async function doctorCommand(
  { config: file, json }: DoctorOptions,
  limit = AbortSignal.timeout(LIMIT_MS),
): Promise<number> {
  // One for each question that is open at once.
  setMaxListeners(0, limit);
  const { config, checks } = readConfig(file);
  const accounts = Object.values(config?.accounts ?? {});
  const storageUrl = config?.storageUrl;
  const pipelines = Object.values(config?.pipelines ?? {});
  const owners = new Map<string, string>();
  const ofAccounts = (ledgersOf: (account: Account) => Ledgers) =>
    Promise.all(
      accounts.map((account) => {
        const planned = pipelines.filter((pipeline) => pipeline.account === account.name);
        return checkAccount(account, { ...ledgersOf(account), owners, planned, limit, storageUrl });
      }),
    );
  const server = await knownServer().then(
    (found) => (found.sandboxStorage === undefined ? found : SANDBOX_RUNS),
    unusable,
  );
  const [temporal, storage, looked] = await Promise.all([
    'state' in server ? server : checkTemporal(server.config, accounts, limit),
    config ? within(limit, () => checkStorage(config.storageUrl)).catch(lateStorage) : [],
    'state' in server ? ofAccounts(() => NO_LEDGERS) : withLedgers(server.config, ofAccounts),
  ]);
  const all = [checkNode(), ...checks, temporal, storage, looked].flat(2);
  const ok = all.every(({ state }) => state !== 'wrong');
  if (json) printJson({ ok, checks: all });
  else print(report(all));
  return ok ? EXIT.done : EXIT.failed;
}

/** It reports every other failure itself. */
const lateStorage = () => area('storage').unknown('documents', new TooLate().message);

function readConfig(file: string | undefined): { config?: Config; checks: Check[] } {
  const { ok, wrong } = area('configuration');
  try {
    const config = loadConfig({ env: process.env, file });
    const names = Object.keys(config.accounts);
    if (names.length === 0) accountOf(config);
    const from = config.file ?? 'the environment (there is no audit-runner.yaml)';
    const notices = config.notices.map((notice) => ok('old name', notice));
    return { config, checks: [ok('readable', `${from}: ${names.join(', ')}`), ...notices] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = 'see "Configure" in docs/administrators.md';
    return { checks: error.problems.map((problem) => wrong('readable', problem, mend)) };
  }
}

const MARKS = {
  ok: styled('green', 'ok   '),
  warning: styled('yellow', 'LOOK '),
  wrong: styled('red', 'WRONG'),
  unknown: styled('yellow', '?    '),
};

function report(checks: readonly Check[]): string {
  const areas = [...new Set(checks.map(({ area }) => area))];
  const count = (wanted: Check['state']) => checks.filter(({ state }) => state === wanted).length;
  const [wrong, warning, unknown] = [count('wrong'), count('warning'), count('unknown')];
  const look = warning === 0 ? '' : ` Look again at ${warning} of ${checks.length}.`;
  const well =
    unknown === 0
      ? warning === 0
        ? 'All is well.'
        : `Nothing is wrong.${look}`
      : `Nothing is wrong as far as can be seen; not seen: ${unknown} of ${checks.length}.${look}`;
  const blocks = areas.map((name) =>
    [styled('bold', name), ...checks.filter(({ area }) => area === name).flatMap(lines)].join('\n'),
  );
  return [...blocks, wrong === 0 ? well : `Wrong: ${wrong} of ${checks.length}.`].join('\n\n');
}

const lines = ({ state, name, found, mend }: Check): string[] => [
  `  ${MARKS[state]}  ${name}: ${found}`,
  ...(mend ? [`         mend: ${mend}`] : []),
];
