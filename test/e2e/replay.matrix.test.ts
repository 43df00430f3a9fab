/**
 * Plays every path (`paths/`), and replays its runs. `npm run histories` keeps their histories as those of this version; the
 * folder of a version that was released is never changed.
 *
 * @takes 200 s
 */
import { workflowBundlePath } from '../../src/temporal/bundle';
import type { LedgerClient } from '../../src/temporal/ledger-client';
import * as workflows from '../../workflows';
import { ledgerOf, withAccounts } from '../support/ledgers';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';
import { PATHS } from './paths';
import { Play } from './paths/play';
import { failuresOf, keepRun, keptRuns, type Recorded, recordedRuns } from './support/recorded';

const LEDGER = 'account-ledger.by-name-recorded';
const KEPT = [...Object.keys(PATHS), LEDGER];

let stage: Stage;
let runs: Recorded[];

/** A ledger that continues as new soon, with every kind of entry. */
async function ledgerThatContinues(ledger: LedgerClient): Promise<void> {
  for (let n = 0; n < 10; n++) {
    const request = { subject: `lead:${n}`, attempt: `attempt-${n}`, run: 'run', runCap: 1e6, credits: 1_000 };
    await ledger.beginSend({ ...request, lookedAt: Date.now() });
    if (n === 4) await ledger.reportHold({ kind: 'killSwitch', reason: 'test' });
    const settlement = n % 2 === 0 ? ({ kind: 'paid', credits: 1_000 } as const) : ({ kind: 'notPaid' } as const);
    await ledger.settle({ ...request, settlement });
  }
}

beforeAll(async () => {
  const quick = { createProject: 0, upload: 0, documentAnalysis: 0, interviewAnalysis: 0, audit: 100, extraction: 50 };
  stage = await startStage({
    // Dozens of conversions of one process go side by side.
    account: { timing: { ...QUICK.timing, sendWindowMs: 5_000 } },
    sandbox: { leads: 240, projects: 0, captures: 2, credits: 400_000, durations: quick },
  });
  const config = withAccounts(stage.config, ['recorded'], { timing: { ...QUICK.timing, sendWindowMs: 10_000 } });
  const ledger = ledgerOf(stage, config, 'recorded');
  const { client } = stage.temporal;
  await client.workflow.start(workflows.accountLedger, {
    ...{ workflowId: ledger.workflowId, taskQueue: 'audit-runner', args: [{ maxEvents: 50 }] },
  });
  await stage.startWorker(config);
  await until(async () => (await stage.spentByLedger().catch(() => undefined)) !== undefined);
  const play = new Play(stage);
  for (const [name, path] of Object.entries(PATHS)) await path(play, name);
  await ledgerThatContinues(ledger);
  await until(async () => {
    runs = await recordedRuns(client);
    const ofLedger = runs.filter(({ workflowId }) => workflowId === LEDGER);
    return ofLedger.length > 1 && KEPT.every((id) => runs.some(({ workflowId }) => workflowId === id));
  });
  if (process.env.RECORD_HISTORIES)
    for (const name of KEPT) {
      const [run] = runs.filter(({ workflowId }) => workflowId === name).sort((a, b) => length(b) - length(a));
      if (run) keepRun(name, run);
    }
}, 600_000);
afterAll(() => stage.close());

const length = ({ history }: Recorded) => history.events?.length ?? 0;

test('every run of this version replays', async () => {
  expect(runs.filter(({ workflowId }) => workflowId === LEDGER).length).toBeGreaterThan(1);
  expect(await failuresOf({ codePath: workflowBundlePath({}) }, runs)).toEqual([]);
});

test('each path of this version is kept', () => {
  const kept = keptRuns().filter(({ version }) => version === 'unreleased');
  expect(kept.map(({ workflowId }) => workflowId).sort()).toEqual([...KEPT].sort());
});
