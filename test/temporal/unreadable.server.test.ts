/** Data of Temporal's that cannot be read, where encryption is on: refused where they arrive, and nobody stands still. */
import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { dataConverter } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { convertLead } from '../../workflows';
import { type Stage, startStage } from '../support/stage';

const newKey = () => randomBytes(32).toString('base64');
const taskQueue = 'audit-runner';

/** Somebody whose key is another one. */
function stranger({ temporal: { connection, namespace } }: Stage): Client {
  const converter = dataConverter({ [ENCRYPTION_VARIABLE]: newKey() }, namespace);
  return new Client({ connection, namespace, ...(converter && { dataConverter: converter }) });
}

test('S7: messages, inputs and results under a key that no worker has are refused, and the ledger goes on', async () => {
  process.env[ENCRYPTION_VARIABLE] = newKey();
  const stage = await startStage();
  try {
    await stage.startWorker();
    const own = new Client({
      ...{ connection: stage.temporal.connection, namespace: stage.temporal.namespace },
      dataConverter: dataConverter(process.env, stage.temporal.namespace) ?? {},
    });
    const other = stranger(stage).workflow;
    const [lead] = stage.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
    const args: [{ leadId: string }] = [{ leadId: lead?.id ?? '' }];
    const spent = async (workflowId: string) =>
      (await own.workflow.execute(convertLead, { workflowId, taskQueue, args })).credits;
    expect(await spent('before')).toBe(1_000);

    const ledger = other.getHandle(stage.ledgerId);
    await ledger.signal('anything', { a: 1 });
    await expect(ledger.executeUpdate('hold', { args: [{ reason: 'x' }] })).rejects.toThrow();
    await expect(ledger.query('status', 5)).rejects.toThrow();
    const run = await other.start(convertLead, { workflowId: 'other', taskQueue, args });
    const failure = await own.workflow
      .getHandle(run.workflowId)
      .result()
      .catch((error) => error.cause);
    expect(failure).toMatchObject({
      type: 'BadInput',
      message: expect.stringMatching(/input of this run cannot be read: .* key [0-9a-f]{16}, which no worker has/),
    });

    // All of it is replayed: by a worker that remembers nothing.
    const { connection, namespace } = stage.temporal;
    await connection.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId: stage.ledgerId } });
    expect(await spent('after')).toBe(0);
  } finally {
    await stage.close();
    delete process.env[ENCRYPTION_VARIABLE];
  }
});

test('a worker that requires encryption and has no key does not begin', async () => {
  const stage = await startStage({ file: { encryption: { require: true } } });
  try {
    await expect(stage.startWorker()).rejects.toThrow('encryption.require is set, and there is no key');
  } finally {
    await stage.close();
  }
});
