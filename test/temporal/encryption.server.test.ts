import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { CannotDecrypt, dataConverter } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { startTestTemporal } from '../support/temporal';

const newKey = () => randomBytes(32).toString('base64');
const SECRET = 'anna@prospect.example';

function codec(keys: string) {
  const [found] = dataConverter({ [ENCRYPTION_VARIABLE]: keys }, 'default')?.payloadCodecs ?? [];
  if (found === undefined) throw new Error('no codec');
  return found;
}
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const bytes = (payloads: unknown) => Buffer.from(JSON.stringify(payloads));

test('S4: what is encoded shows nothing of the value, and decodes to it', async () => {
  const { encode, decode } = bound(codec(newKey()));
  const original = [payload({ email: SECRET }), payload(null)];
  const encoded = await encode(original);
  expect(Buffer.concat(encoded.map(({ data }) => data ?? Buffer.alloc(0))).includes(SECRET)).toBe(false);
  expect(bytes(encoded).includes('json/plain')).toBe(false);
  const decoded = await decode(encoded);
  expect(decoded.map((one) => defaultPayloadConverter.fromPayload(one))).toEqual([{ email: SECRET }, null]);
});

test('the same value is never encrypted to the same bytes', async () => {
  const { encode } = bound(codec(newKey()));
  const [one, other] = await encode([payload(SECRET), payload(SECRET)]);
  expect(one?.data).not.toEqual(other?.data);
});

test('an old key still decrypts, and the newest encrypts', async () => {
  const [old, current] = [newKey(), newKey()];
  const stored = await codec(old).encode([payload(SECRET)]);
  const both = bound(codec(`${current}, ${old}`));
  await expect(both.decode(stored)).resolves.toEqual([expect.objectContaining({ data: payload(SECRET).data })]);
  await expect(codec(current).decode(await both.encode([payload(1)]))).resolves.toHaveLength(1);
  await expect(codec(current).decode(stored)).rejects.toThrow(CannotDecrypt);
});

test('what was stored before encryption was on is read as it is', async () => {
  await expect(codec(newKey()).decode([payload(SECRET)])).resolves.toEqual([payload(SECRET)]);
});

test('a changed payload is refused', async () => {
  const { encode, decode } = bound(codec(newKey()));
  const [sealed] = await encode([payload(SECRET)]);
  const data = Buffer.from(sealed?.data ?? []);
  data[data.length - 1] = (data[data.length - 1] ?? 0) ^ 1;
  await expect(decode([{ ...sealed, data }])).rejects.toThrow('damaged or changed');
});

test('without a key nothing is encrypted; a key that is none is refused without showing it', () => {
  expect(dataConverter({}, 'default')).toBeUndefined();
  expect(dataConverter({ [ENCRYPTION_VARIABLE]: '' }, 'default')).toBeUndefined();
  const refusal = () => dataConverter({ [ENCRYPTION_VARIABLE]: 'c2hvcnQ=' }, 'default');
  expect(refusal).toThrow('openssl rand -base64 32');
  expect(refusal).not.toThrow('c2hvcnQ=');
});

test('S4: the server stores no input of a run in the clear', async () => {
  const temporal = await startTestTemporal();
  const converter = dataConverter({ [ENCRYPTION_VARIABLE]: newKey() }, temporal.namespace);
  if (converter === undefined) throw new Error('no converter');
  const { connection, namespace } = temporal;
  const client = new Client({ connection, namespace, dataConverter: converter });
  await client.workflow.start('anything', { workflowId: 'w', taskQueue: 'q', args: [{ email: SECRET }] });
  const { history } = await connection.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId: 'w' },
  });
  const stored = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  await temporal.close();
  expect(stored).toHaveLength(1);
  expect(Buffer.from(stored[0]?.data ?? []).includes(SECRET)).toBe(false);
});

/** A codec's functions, for destructuring. */
function bound(one: ReturnType<typeof codec>) {
  return { encode: one.encode.bind(one), decode: one.decode.bind(one) };
}
