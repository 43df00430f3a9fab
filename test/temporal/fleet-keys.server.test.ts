/** What the workers of a namespace have in common: who lacks a key, or reads otherwise than the others, does not begin. */
import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { temporal as proto } from '@temporalio/proto';
import { ConfigError } from '../../src/config/problems';
import { GRACE_MS } from '../../src/runs/origins';
import { dataConverter, encryptionKeyIds } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import {
  fleetRequirement,
  isFleetKey,
  type Joining,
  joinFleet,
  unlikeFleet,
  workerIdentity,
} from '../../src/temporal/fleet-keys';
import { FLEET_KEYS, FLEET_REQUIRES, fleetKeys, noteKeys } from '../../src/temporal/fleet-record';
import { keysInUse } from '../../src/temporal/keys-in-use';
import { queueState } from '../../src/temporal/queue-workers';
import { LISTS_AWAY, takeListsAway } from '../support/lists-away';
import { startTestTemporal, type TestTemporal } from '../support/temporal';
import { until } from '../support/until';

const newKey = () => randomBytes(32).toString('base64');
const idOf = (key: string): string => encryptionKeyIds({ [ENCRYPTION_VARIABLE]: key })[0] ?? '';
const [OLD, NEW] = ['0123456789abcdef', 'fedcba9876543210'];
const taskQueue = 'audit-runner';

let temporal: TestTemporal;
beforeEach(async () => {
  temporal = await startTestTemporal();
});
afterEach(() => temporal.close());

const joining = (own: string[], more: Partial<Joining> = {}): Joining => ({
  ...{ own, requires: false, patienceMs: 2_000 },
  ledgers: async () => new Set(['account-ledger.u']),
  ...more,
});
const join = (...own: string[]) => joinFleet(temporal.client, joining(own));

/** A worker that has asked for work as who it is, and has just ended. */
async function asked(identity: string): Promise<void> {
  const { connection, namespace } = temporal;
  const end = new AbortController();
  const polling = connection
    .withAbortSignal(end.signal, () =>
      connection.withDeadline(Date.now() + 60_000, () =>
        connection.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue }, identity }),
      ),
    )
    .catch(() => undefined);
  const state = () => queueState(temporal, taskQueue, proto.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW);
  await until(async () => (await state()).identities.includes(identity));
  end.abort();
  await polling;
}

test('a worker that lacks a key of the others does not begin, and says which and what to do', async () => {
  await join();
  await join(OLD);
  await expect(join()).rejects.toThrow(ConfigError);
  await join(NEW, OLD);
  await expect(join(OLD)).rejects.toThrow(`the key ${NEW}`);
  await expect(join(OLD)).rejects.toThrow(FLEET_KEYS);
  expect(await isFleetKey(temporal.client, NEW)).toBe(true);
  expect(await isFleetKey(temporal.client, '0000000000000000')).toBe(false);
  await temporal.client.schedule.getHandle(FLEET_KEYS).delete();
  await join(NEW);
  await expect(join(OLD)).rejects.toThrow(ConfigError);
});

test('who pauses or resumes its schedule in the Web UI, with any note, changes nothing of it', async () => {
  await join(OLD);
  const schedule = temporal.client.schedule.getHandle(FLEET_KEYS);
  await schedule.unpause('');
  await schedule.pause('tidied up');
  expect(await fleetKeys(temporal.client)).toEqual([OLD]);
  await expect(join()).rejects.toThrow(`the key ${OLD}`);
  expect(await unlikeFleet(temporal.client, {})).toContain(OLD);
});

test.each([
  ['an empty list', [{ keys: [] }]],
  ['no list', []],
  ['IDs that are none', [{ keys: ['all of them'] }]],
])('%s counts as none, and is written anew', async (_, args) => {
  await join(OLD);
  await temporal.client.schedule.getHandle(FLEET_KEYS).update((before) => ({
    ...before,
    action: { ...before.action, args },
  }));
  expect(await fleetKeys(temporal.client)).toBeUndefined();
  await join(OLD);
  expect(await fleetKeys(temporal.client)).toEqual([OLD]);
});

test('of workers that begin at once, each with a key more, whoever begins has its keys in the list', async () => {
  const ids = Array.from({ length: 12 }, (_, n) => n.toString(16).padStart(16, '0'));
  const rings = ids.map((_, n) => ids.slice(0, n + 1));
  const lacking = await Promise.all(rings.map((own) => noteKeys(temporal.client, own)));
  // The last one lacks nothing, whatever the others have.
  expect(lacking.at(-1)).toEqual([]);
  expect((await fleetKeys(temporal.client))?.sort()).toEqual(ids);
});

test('of two workers that begin at once with different keys only one begins', async () => {
  const joined = await Promise.allSettled([join(OLD), join(NEW)]);
  const refused = joined.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  const [kept] = (await fleetKeys(temporal.client)) ?? [];
  expect(await fleetKeys(temporal.client)).toHaveLength(1);
  expect(refused).toEqual([expect.stringContaining(`have the key ${kept}, and this one does not`)]);
});

test('a command with other keys than the workers is refused: it could not read them, or they it', async () => {
  const [old, current, newer] = [newKey(), newKey(), newKey()];
  const unlike = (...keys: string[]) => unlikeFleet(temporal.client, { [ENCRYPTION_VARIABLE]: keys.join(',') });
  expect(await unlike(current)).toBeUndefined();
  await join(idOf(current), idOf(old));
  expect(await unlike(current, old)).toBeUndefined();
  expect(await unlike(old, current)).toBeUndefined();
  expect(await unlike(current, old, newer)).toBeUndefined();
  expect(await unlike(newer, current, old)).toContain(idOf(newer));
  expect(await unlike(current)).toContain(idOf(old));
  expect(await unlikeFleet(temporal.client, {})).toContain(`${idOf(current)} and ${idOf(old)}`);
});

const NONE = { own: [], requires: false };
const KEYED = { own: [OLD], requires: false };
const REQUIRED = { own: [OLD], requires: true };

test.each([
  ['with a key', KEYED, 'without one', NONE],
  ['without a key, where the list of keys is gone,', NONE, 'with one', KEYED],
  ['that requires encryption', REQUIRED, 'that do not', KEYED],
  ['that does not require encryption', KEYED, 'that do', REQUIRED],
  ['with a key', KEYED, 'of an earlier version, which says nothing of its own', 'somebody'],
] as const)('a worker %s does not join others', async (_, own, __, others) => {
  const identity = typeof others === 'string' ? others : workerIdentity(others);
  await asked(identity);
  const lines: string[] = [];
  const joins = joinFleet(temporal.client, joining(own.own, { ...own, log: (line) => lines.push(line) }));
  await expect(joins).rejects.toThrow(`work in this namespace: ${identity}`);
  expect(lines).toEqual([expect.stringContaining('waiting until they have ended, 2 s at most')]);
  expect(await fleetKeys(temporal.client)).toBeUndefined();
  expect(await fleetRequirement(temporal.client)).toBeUndefined();
});

test.each([
  ['without a key', NONE],
  ['with keys', KEYED],
  ['that require encryption', REQUIRED],
])('workers %s begin beside each other at once', async (_, keyed) => {
  await asked(workerIdentity(keyed));
  await joinFleet(temporal.client, joining(keyed.own, { ...keyed, patienceMs: 0 }));
});

test('since when encryption is required is the server’s word, the same for all, until a fleet begins that does not', async () => {
  const before = Date.now();
  const first = await joinFleet(temporal.client, joining([OLD], { requires: true }));
  expect(first?.since).toBeGreaterThan(before - 60_000);
  expect(first?.until).toBe((first?.since ?? 0) + GRACE_MS);
  expect(await joinFleet(temporal.client, joining([OLD], { requires: true }))).toEqual(first);
  const schedule = temporal.client.schedule.getHandle(FLEET_REQUIRES);
  await schedule.unpause('');
  await schedule.trigger();
  expect(await fleetRequirement(temporal.client)).toEqual(first);
  expect(await join(OLD)).toBeUndefined();
  expect(await fleetRequirement(temporal.client)).toBeUndefined();
});

describe('where the list of keys is gone', () => {
  const key = newKey();
  const id = idOf(key);
  const keyed = (): Client => {
    const { connection, namespace } = temporal;
    return new Client({
      ...{ connection, namespace, dataConverter: dataConverter({ [ENCRYPTION_VARIABLE]: key }, namespace) ?? {} },
    });
  };
  const ledger = (workflowId: string, client = keyed()) =>
    client.workflow.start('accountLedger', { workflowId, taskQueue, args: [{}] });
  const listed = (workflowId: string) =>
    until(async () => [...(await keysInUse(temporal.client)).keys.values()].flat().includes(workflowId));

  test('S7: a key that open runs and schedules need is known; a worker without the key of its ledger does not begin', async () => {
    await ledger('account-ledger.u');
    await temporal.client.workflow.start('convertLead', { workflowId: 'plain', taskQueue, args: [] });
    await keyed().schedule.create({
      ...{ scheduleId: 'audit-runner.nightly', spec: {}, state: { paused: true } },
      action: { type: 'startWorkflow', workflowType: 'leadPipeline', taskQueue, args: [{}] },
    });
    await until(async () => (await keysInUse(temporal.client)).keys.get(id)?.length === 2);
    expect(await keysInUse(temporal.client)).toEqual({
      keys: new Map([[id, ['account-ledger.u', 'audit-runner.nightly']]]),
      ...{ looked: 2, left: 0 },
    });
    const where = 'AUDIT_RUNNER_ENCRYPTION_KEY (or AUDIT_RUNNER_ENCRYPTION_KEY_FILE)';
    await expect(join()).rejects.toThrow(`${where}: account-ledger.u was written with the key ${id}`);
    await expect(join(OLD)).rejects.toThrow(ConfigError);
    await join(OLD, id);
  });

  test('what strangers have started under such a name keeps no worker from beginning', async () => {
    await ledger('account-ledger.somebody-else');
    await ledger('account-ledger.<b>no ledger</b>');
    const payload: Payload = {
      metadata: {
        encoding: Buffer.from('binary/encrypted'),
        'encryption-key-id': Buffer.from(`\u001b[31m${'x'.repeat(300)}`),
      },
      data: Buffer.from('nothing'),
    };
    const { connection, namespace } = temporal;
    await connection.workflowService.startWorkflowExecution({
      ...{ namespace, workflowId: 'account-ledger.u', workflowType: { name: 'accountLedger' }, requestId: 'r' },
      ...{ taskQueue: { name: taskQueue }, input: { payloads: [payload] } },
    });
    await listed('account-ledger.somebody-else');
    expect([...(await keysInUse(temporal.client)).keys.keys()]).toEqual([id]);
    await join(OLD);
  });

  test('a worker that cannot ask whose ledger it is says so', async () => {
    await ledger('account-ledger.u');
    await listed('account-ledger.u');
    const ledgers = () => Promise.reject(new Error('the service does not answer'));
    await expect(joinFleet(temporal.client, joining([], { ledgers }))).rejects.toThrow('the service does not answer');
  });

  test('while the lists are away, the ledgers of the worker are looked at; where nobody says which they are, it says so', async () => {
    await ledger('account-ledger.u');
    takeListsAway(temporal.connection);
    await expect(join()).rejects.toThrow(`account-ledger.u was written with the key ${id}`);
    const silent = { ledgers: () => Promise.reject(new Error('the service does not answer')) };
    await expect(joinFleet(temporal.client, joining([id], silent))).rejects.toThrow(
      new RegExp(`${LISTS_AWAY}.*the service does not answer`),
    );
    await join(id);
  });
});
