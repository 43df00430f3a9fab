/** `audit-runner doctor`: looks at everything that a worker needs, and says how to mend what is wrong. */
import { accountOf, type Config, ConfigError, loadConfig } from '../config';
import { checkAccount } from './doctor/account';
import { area, type Check } from './doctor/check';
import { withClearance } from './doctor/clearance';
import { checkStorage } from './doctor/storage';
import { checkTemporal } from './doctor/temporal';
import { EXIT } from './exit';
import { print, printJson, styled } from './output';
import { knownServer } from './server';

export interface DoctorOptions {
  config?: string;
  json?: boolean;
}

export async function doctorCommand({ config: file, json }: DoctorOptions): Promise<number> {
  const { config, checks } = readConfig(file);
  const accounts = Object.values(config?.accounts ?? {});
  const pipelines = Object.values(config?.pipelines ?? {});
  const server = await knownServer();
  const owners = new Map<string, string>();
  const [temporal, storage, ofAccounts] = await Promise.all([
    checkTemporal(server.config, accounts),
    config ? checkStorage(config.storageUrl) : [],
    withClearance(server.config, (clearanceOf) =>
      Promise.all(
        accounts.map((account) => {
          const planned = pipelines.filter((pipeline) => pipeline.account === account.name);
          return checkAccount(account, { owners, clearance: clearanceOf(account), planned });
        }),
      ),
    ),
  ]);
  const all = [...checks, ...temporal, storage, ...ofAccounts].flat();
  const ok = all.every(({ state }) => state !== 'wrong');
  if (json) printJson({ ok, checks: all });
  else print(report(all));
  return ok ? EXIT.done : EXIT.failed;
}

function readConfig(file: string | undefined): { config?: Config; checks: Check[] } {
  const { ok, wrong } = area('configuration');
  try {
    const config = loadConfig({ env: process.env, file });
    const names = Object.keys(config.accounts);
    if (names.length === 0) accountOf(config);
    const from = config.file ?? 'the environment (there is no audit-runner.yaml)';
    return { config, checks: [ok('readable', `${from}: ${names.join(', ')}`)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = 'see the configuration in the README';
    return { checks: error.problems.map((problem) => wrong('readable', problem, mend)) };
  }
}

const MARKS = { ok: styled('green', 'ok   '), wrong: styled('red', 'WRONG'), unknown: styled('yellow', '?    ') };

function report(checks: readonly Check[]): string {
  const areas = [...new Set(checks.map(({ area }) => area))];
  const count = (wanted: Check['state']) => checks.filter(({ state }) => state === wanted).length;
  const [wrong, unknown] = [count('wrong'), count('unknown')];
  const well =
    unknown === 0
      ? 'All is well.'
      : `Nothing is wrong as far as can be seen; not seen: ${unknown} of ${checks.length}.`;
  const blocks = areas.map((name) =>
    [styled('bold', name), ...checks.filter(({ area }) => area === name).flatMap(lines)].join('\n'),
  );
  return [...blocks, wrong === 0 ? well : `Wrong: ${wrong} of ${checks.length}.`].join('\n\n');
}

const lines = ({ state, name, found, mend }: Check): string[] => [
  `  ${MARKS[state]}  ${name}: ${found}`,
  ...(mend ? [`         mend: ${mend}`] : []),
];
