/** Data of Temporal's that cannot be read, where encryption is on: refused where they arrive, and nobody stands still. */
import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { ConfigError } from '../../src/config/problems';
import { dataConverter, encryptionCodec } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { FLEET_KEYS, isFleetKey, joinFleet, unlikeFleet } from '../../src/temporal/fleet-keys';
import { keysInUse } from '../../src/temporal/keys-in-use';
import { convertLead } from '../../workflows';
import { type Stage, startStage } from '../support/stage';
import { startTestTemporal } from '../support/temporal';
import { until } from '../support/until';

const newKey = () => randomBytes(32).toString('base64');
const taskQueue = 'audit-runner';

const idOf = (key: string): string => encryptionCodec({ [ENCRYPTION_VARIABLE]: key })?.keyIds[0] ?? '';

/** Somebody whose key is another one. */
function stranger({ temporal: { connection, namespace } }: Stage): Client {
  const converter = dataConverter({ [ENCRYPTION_VARIABLE]: newKey() });
  return new Client({ connection, namespace, ...(converter && { dataConverter: converter }) });
}

test('S7: messages, inputs and results under a key that no worker has are refused, and the ledger goes on', async () => {
  process.env[ENCRYPTION_VARIABLE] = newKey();
  const stage = await startStage();
  try {
    await stage.startWorker();
    const own = new Client({
      ...{ connection: stage.temporal.connection, namespace: stage.temporal.namespace },
      dataConverter: dataConverter(process.env) ?? {},
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

test('a worker that lacks a key of the others does not begin, and says which and what to do', async () => {
  const temporal = await startTestTemporal();
  const join = (...keys: string[]) => joinFleet(temporal.client, keys);
  const [old, current] = ['0123456789abcdef', 'fedcba9876543210'];
  try {
    await join();
    await join(old);
    await expect(join()).rejects.toThrow(ConfigError);
    await join(current, old);
    await expect(join(old)).rejects.toThrow(`the key ${current}`);
    await expect(join(old)).rejects.toThrow(FLEET_KEYS);
    expect(await isFleetKey(temporal.client, current)).toBe(true);
    expect(await isFleetKey(temporal.client, '0000000000000000')).toBe(false);
    await temporal.client.schedule.getHandle(FLEET_KEYS).delete();
    await join(current);
    await expect(join(old)).rejects.toThrow(ConfigError);
  } finally {
    await temporal.close();
  }
});

test('a command with other keys than the workers is refused: it could not read them, or they it', async () => {
  const temporal = await startTestTemporal();
  const [old, current, newer] = [newKey(), newKey(), newKey()];
  const [oldId = '', currentId = '', newerId = ''] = [old, current, newer].map(idOf);
  const unlike = (...keys: string[]) => unlikeFleet(temporal.client, { [ENCRYPTION_VARIABLE]: keys.join(',') });
  try {
    expect(await unlike(current)).toBeUndefined();
    await joinFleet(temporal.client, [currentId, oldId]);
    expect(await unlike(current, old)).toBeUndefined();
    expect(await unlike(old, current)).toBeUndefined();
    expect(await unlike(current, old, newer)).toBeUndefined();
    expect(await unlike(newer, current, old)).toContain(newerId);
    expect(await unlike(current)).toContain(oldId);
    expect(await unlikeFleet(temporal.client, {})).toContain(`${currentId} and ${oldId}`);
  } finally {
    await temporal.close();
  }
});

test('S7: a key that open runs and schedules need is known; a worker without the key of a ledger does not begin', async () => {
  const temporal = await startTestTemporal();
  const { connection, namespace } = temporal;
  const key = newKey();
  const id = idOf(key);
  const client = new Client({
    ...{ connection, namespace, dataConverter: dataConverter({ [ENCRYPTION_VARIABLE]: key }) ?? {} },
  });
  try {
    await client.workflow.start('accountLedger', { workflowId: 'account-ledger.u', taskQueue, args: [{}] });
    await client.workflow.start('convertLead', { workflowId: 'plain', taskQueue, args: [] });
    await client.schedule.create({
      ...{ scheduleId: 'audit-runner.nightly', spec: {}, state: { paused: true } },
      action: { type: 'startWorkflow', workflowType: 'leadPipeline', taskQueue, args: [{}] },
    });
    await until(async () => (await keysInUse(temporal.client)).get(id)?.length === 2);
    expect(await keysInUse(temporal.client)).toEqual(new Map([[id, ['account-ledger.u', 'audit-runner.nightly']]]));
    await expect(joinFleet(temporal.client, [])).rejects.toThrow(`account-ledger.u was written with the key ${id}`);
    await expect(joinFleet(temporal.client, ['0123456789abcdef'])).rejects.toThrow(ConfigError);
    await joinFleet(temporal.client, ['0123456789abcdef', id]);
  } finally {
    await temporal.close();
  }
});
