import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { whyUnreadable } from '../../src/runs/unreadable-data';
import { CannotDecrypt, encryptionCodec, KEY_ID_ENTRY } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { TolerantCodec } from '../../src/temporal/tolerant';

const newKey = () => randomBytes(32).toString('base64');
const SECRET = 'anna@prospect.example';
const keyed = (key: string) => encryptionCodec({ [ENCRYPTION_VARIABLE]: key }, 'default');
const nobodyElse = { isFleets: async () => false };
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const raw = (encoding: string | undefined, data: string): Payload => ({
  ...(encoding !== undefined && { metadata: { encoding: Buffer.from(encoding) } }),
  data: Buffer.from(data),
});

/** What a workflow gets to see. */
const seen = async (codec: TolerantCodec, one: Payload): Promise<unknown> =>
  defaultPayloadConverter.fromPayload((await codec.decode([one]))[0] ?? {});

async function sealed(key: string, damaged = false): Promise<Payload> {
  const [one = {}] = (await keyed(key)?.encode([payload(SECRET)])) ?? [];
  const data = Buffer.from(one.data ?? []);
  if (damaged) data[data.length - 1] = (data[data.length - 1] ?? 0) ^ 1;
  return { ...one, data };
}

test.each([
  ['is no JSON', raw('json/plain', `{"a": ${SECRET}`), /no form that is read here/],
  ['is empty', raw('json/plain', ''), /no form that is read here/],
  ['has an encoding of somebody else', raw('binary/other', SECRET), /no form that is read here/],
  ['has no encoding', raw(undefined, SECRET), /no form that is read here/],
  [
    'claims to be encrypted',
    raw('binary/encrypted', SECRET),
    /encrypted with a key without a proper ID, which no worker has/,
  ],
])('what %s arrives as a mark that does not quote it (S4)', async (_, one, why) => {
  for (const codec of [undefined, keyed(newKey())]) {
    const value = await seen(new TolerantCodec(codec, nobodyElse), one);
    expect(whyUnreadable(value)).toMatch(why);
    expect(JSON.stringify(value)).not.toContain(SECRET);
  }
});

test('what is damaged, or encrypted with a key that no worker has, arrives as a mark that says so', async () => {
  const key = newKey();
  const codec = new TolerantCodec(keyed(key), nobodyElse);
  expect(await seen(codec, await sealed(key))).toBe(SECRET);
  expect(whyUnreadable(await seen(codec, await sealed(key, true)))).toMatch('was damaged or changed');
  expect(whyUnreadable(await seen(codec, await sealed(newKey())))).toMatch('which no worker has');
});

test('whoever wrote the data chose the ID of the key: one that is none is not quoted', async () => {
  const evil = `[Sign in](https://evil.example) ${'x'.repeat(100_000)}`;
  const metadata = { encoding: Buffer.from('binary/encrypted'), [KEY_ID_ENTRY]: Buffer.from(evil) };
  const why = whyUnreadable(await seen(new TolerantCodec(undefined, nobodyElse), { metadata, data: Buffer.from('x') }));
  expect(why).toBe('data were encrypted with a key without a proper ID, which no worker has');
});

test('what another worker has the key of fails here, for that one to read: a mark would make the two differ', async () => {
  const theirs = await sealed(newKey());
  const fails = new TolerantCodec(keyed(newKey()), { isFleets: async () => true }).decode([theirs]);
  await expect(fails).rejects.toThrow(CannotDecrypt);
  await expect(new TolerantCodec(undefined, { isFleets: async () => true }).decode([theirs])).rejects.toThrow(
    'encoding',
  );
});
