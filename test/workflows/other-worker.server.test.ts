/** In a deployment some workers do not know an account yet, and for a while none may. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { loadConfig } from '../../src/config';
import { holdUpdate, releaseUpdate } from '../../src/ledger/messages';
import { callApi, convertLead } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

const { PENDING_ACTIVITY_STATE_SCHEDULED } = temporal.api.enums.v1.PendingActivityState;

let stage: Stage;
beforeEach(async () => {
  stage = await startStage({ sandbox: { leads: 5, credits: 100_000 } });
});
afterEach(() => stage.close());

const taskQueue = 'audit-runner';

/** The configuration of a worker that has only the account 'other', of another user. */
function otherConfig() {
  const { folder, sandbox } = stage;
  const [file, token] = [join(folder, 'other.yaml'), join(folder, 'other-token')];
  writeFileSync(token, sandbox.otherToken);
  const other = { baseUrl: sandbox.baseUrl, tokenFile: token, timing: QUICK.timing };
  writeFileSync(file, JSON.stringify({ accounts: { other }, storageUrl: `file://${folder}/storage` }));
  return loadConfig({ env: {}, file });
}

test('S6: a run that has begun leaves its account to a worker that knows it; a name that none knows fails soon', async () => {
  const { client } = stage.temporal;
  const own = await stage.startWorker();
  await stage.startWorker(otherConfig());
  const ledger = client.workflow.getHandle(stage.ledgerId);
  const said = (answer: Promise<string>) => answer.then(Boolean, () => false);
  await until(() => said(ledger.executeUpdate(holdUpdate, { args: [{ reason: 'test' }] })));
  const lead = stage.sandbox.control.leads().find(({ surveyStatus }) => surveyStatus === 'completed');
  const run = await client.workflow.start(convertLead, {
    ...{ workflowId: 'converts', taskQueue, args: [{ leadId: lead?.id ?? '' }] },
  });
  await until(async () => (await run.query(progressQuery)).waiting?.includes('on hold') === true);
  own.stop();
  await own.done;
  // Nobody is there who could take what it asks next.
  await until(async () => {
    const { raw } = await run.describe();
    return raw.pendingActivities?.[0]?.state === PENDING_ACTIVITY_STATE_SCHEDULED;
  });
  await stage.startWorker();
  await until(() => said(ledger.executeUpdate(releaseUpdate, { args: [{ reason: 'over' }] })));
  expect(await run.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });

  const account = 'defualt';
  const mistyped = await Promise.all(
    [
      client.workflow.execute(convertLead, { workflowId: 'a', taskQueue, args: [{ leadId: 'x', account }] }),
      client.workflow.execute(callApi, { workflowId: 'b', taskQueue, args: [{ route: 'account.credits', account }] }),
    ].map((ended: Promise<unknown>) => ended.catch((error: Error) => error.cause)),
  );
  const cause = { type: 'UnknownAccount', message: expect.stringContaining(`no account '${account}'`) };
  for (const failure of mistyped) expect(failure).toMatchObject({ cause });
});
