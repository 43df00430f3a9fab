/** What becomes of encrypted data that somebody changed, cut, stripped or copied: they never open, and never fail a task. */
import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import { whyUnreadable } from '../../src/runs/unreadable-data';
import { CannotDecrypt, EncryptionCodec } from '../../src/temporal/encryption';
import { TolerantCodec } from '../../src/temporal/tolerant';
import { sealedBefore } from '../support/earlier';

const SECRET = 'anna@prospect.example';
const key = randomBytes(32);
const codec = new EncryptionCodec([key], 'default');
const context: SerializationContext = { type: 'workflow', namespace: 'default', workflowId: 'convert-lead.a' };
const activity = (activityId: string, workflowId = 'convert-lead.a'): SerializationContext => ({
  ...{ type: 'activity', namespace: 'default', workflowId, activityId, isLocal: false },
});
const plain = defaultPayloadConverter.toPayload({ email: SECRET });
const bytesOf = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []);

const sealed = async (where?: SerializationContext): Promise<Payload> => {
  const [one] = await codec.encode([plain], where);
  if (!one) throw new Error('nothing was encrypted');
  return one;
};

/** With each of the eight bits of each byte flipped. */
function* flipped(bytes: Buffer): Generator<Buffer> {
  for (let n = 0; n < bytes.length; n++)
    for (let bit = 1; bit < 256; bit *= 2) {
      const other = Buffer.from(bytes);
      other[n] = (other[n] ?? 0) ^ bit;
      yield other;
    }
}
function* cut(bytes: Buffer): Generator<Buffer> {
  for (let length = 0; length < bytes.length; length++) yield bytes.subarray(0, length);
  for (let from = 1; from < bytes.length; from++) yield bytes.subarray(from);
}

/** All that can be done to one of them without the key. */
function* spoilt(payload: Payload): Generator<Payload> {
  for (const change of [flipped, cut]) {
    for (const data of change(bytesOf(payload.data))) yield { ...payload, data };
    for (const [name, value] of Object.entries(payload.metadata ?? {}))
      for (const other of change(bytesOf(value)))
        yield { ...payload, metadata: { ...payload.metadata, [name]: other } };
  }
  for (const name of Object.keys(payload.metadata ?? {})) {
    const { [name]: _, ...metadata } = payload.metadata ?? {};
    yield { ...payload, metadata };
  }
  yield { metadata: payload.metadata ?? {} };
}

/** Nobody reads it: a worker gets a mark, and a client an error or something that none of its messages is. */
async function opensNowhere(payload: Payload, where: SerializationContext | undefined = context): Promise<void> {
  for (const requires of [false, true]) {
    const tolerant = new TolerantCodec(codec, { isFleets: async () => false, requires });
    const [read = {}] = await tolerant.decode([payload], where);
    const value: unknown = defaultPayloadConverter.fromPayload(read);
    if (whyUnreadable(value) === undefined || JSON.stringify(value).includes(SECRET))
      throw new Error(`it opens: ${JSON.stringify(payload.metadata)} ${bytesOf(payload.data).toString('base64')}`);
  }
  let opened: Payload | undefined;
  try {
    opened = codec.open(payload, where).payload;
  } catch (error) {
    expect(error).toBeInstanceOf(CannotDecrypt);
  }
  if (opened) expect(() => defaultPayloadConverter.fromPayload(opened)).toThrow();
}

test('it opens where it was encrypted for', async () => {
  for (const where of [undefined, context, activity('3')])
    expect(defaultPayloadConverter.fromPayload(codec.open(await sealed(where), where).payload)).toEqual({
      email: SECRET,
    });
});

test.each([
  ['of a run', context],
  ['of an activity', activity('3')],
])('changed in any bit, cut anywhere, or stripped, data %s open nowhere', async (_, where) => {
  for (const payload of spoilt(await sealed(where))) await opensNowhere(payload, where);
});

test('so do those of 0.2.0', async () => {
  for (const payload of spoilt(sealedBefore(key, plain))) await opensNowhere(payload);
});

test('what is bound is not read as if it were not: neither the form nor the binding of another can be put on it', async () => {
  const [one, other, old] = [await sealed(context), await sealed(activity('3')), sealedBefore(key, plain)];
  await opensNowhere({ ...one, metadata: old.metadata ?? {} });
  await opensNowhere({ ...one, metadata: other.metadata ?? {} }, activity('3'));
  await opensNowhere({ ...one, data: other.data ?? null });
  await opensNowhere({ ...old, metadata: one.metadata ?? {} });
  await opensNowhere({ ...one, metadata: { ...one.metadata, 'encryption-format': Buffer.from('3') } });
});

test.each<[string, SerializationContext, SerializationContext]>([
  ['another run', context, { ...context, workflowId: 'convert-lead.b' }],
  ['another namespace', context, { ...context, namespace: 'other' }],
  ['an activity of the same run', context, activity('3')],
  ['the run of an activity', activity('3'), context],
  ['another activity of the run', activity('3'), activity('4')],
  ['the same activity of another run', activity('3'), activity('3', 'convert-lead.b')],
  ['the schedule of a run', { ...context, workflowId: 'a-2026-11-24T07:00:00Z' }, { ...context, workflowId: 'a' }],
  [
    'another run of a schedule',
    { ...context, workflowId: 'a-2026-11-24T07:00:00Z' },
    { ...context, workflowId: 'a-2026-11-25T07:00:00Z' },
  ],
  ['a run whose name only begins alike', { ...context, workflowId: 'a' }, { ...context, workflowId: 'a-2026' }],
])('copied to %s, data open nowhere', async (_, from, to) => {
  const payload = await sealed(from);
  await opensNowhere(payload, to);
  expect(() => codec.open(payload, to)).toThrow('for another run, or another part of this one');
});

test('what a schedule gives is read by its runs, whose IDs have the time behind its own', async () => {
  const payload = await sealed({ ...context, workflowId: 'pipeline.morning' });
  const run = { ...context, workflowId: 'pipeline.morning-2026-11-24T07:00:00Z' };
  expect(codec.open(payload, run).origin.form).toBe('run');
});

test('what was encrypted without knowing its run is told from what was encrypted for it', async () => {
  expect(codec.open(await sealed(), context).origin.form).toBe('namespace');
  expect(codec.open(await sealed(context), context).origin.form).toBe('run');
  expect(codec.open(sealedBefore(key, plain), context).origin.form).toBe('earlier');
  expect(codec.open(plain, context).origin.form).toBe('plain');
});
