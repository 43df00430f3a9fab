/** Encryption of all that Temporal stores of a run's data (S4): on when there are keys. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { ENCRYPTION_VARIABLE, encryptionIsOn, encryptionKeys } from './encryption-keys';
import type { Env } from './environment';

const { Payload: PayloadMessage } = temporal.api.common.v1;

const ENCODING = 'binary/encrypted';
/** Where a payload's metadata has the ID of its key. */
export const KEY_ID_ENTRY = 'encryption-key-id';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Data cannot be decrypted: the message names the missing key's ID. */
export class CannotDecrypt extends Error {
  override readonly name = 'CannotDecrypt';
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array | null | undefined) => new TextDecoder().decode(bytes ?? new Uint8Array());

const KEY_ID = /^[0-9a-f]{16}$/;
/** Names a key without telling anything about it. */
const keyId = (key: Buffer) => createHash('sha256').update('audit-runner').update(key).digest('hex').slice(0, 16);

/** For people: whoever wrote the data chose what stands there. */
export const keyInWords = (id: string): string => (KEY_ID.test(id) ? `key ${id}` : 'a key without a proper ID');

/** The ID of the key that a payload is encrypted with, as its writer says; undefined where it is not encrypted. */
export const encryptedWith = ({ metadata }: Payload): string | undefined =>
  text(metadata?.encoding) === ENCODING ? text(metadata?.[KEY_ID_ENTRY]) : undefined;

/** AES-256-GCM over whole payloads. What was stored before encryption was on is read as it is. */
export class EncryptionCodec implements PayloadCodec {
  private readonly current: { id: string; key: Buffer };
  private readonly keys: ReadonlyMap<string, Buffer>;

  /** `keys`: newest first, at least one. */
  constructor(keys: readonly Buffer[]) {
    const [newest] = keys;
    if (newest === undefined) throw new Error('encryption needs a key');
    this.current = { id: keyId(newest), key: newest };
    this.keys = new Map(keys.map((key) => [keyId(key), key]));
  }

  has(id: string): boolean {
    return this.keys.has(id);
  }

  /** The IDs of its keys, newest first. */
  get keyIds(): string[] {
    return [...this.keys.keys()];
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    const { id, key } = this.current;
    return payloads.map((payload) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv);
      const sealed = [cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()];
      return {
        metadata: { encoding: utf8(ENCODING), [KEY_ID_ENTRY]: utf8(id) },
        data: Buffer.concat([iv, cipher.getAuthTag(), ...sealed]),
      };
    });
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => (encryptedWith(payload) === undefined ? payload : this.open(payload)));
  }

  private open({ metadata, data }: Payload): Payload {
    const id = text(metadata?.[KEY_ID_ENTRY]);
    const key = this.keys.get(id);
    if (key === undefined)
      throw new CannotDecrypt(
        `data was encrypted with ${keyInWords(id)}, which is not among those in ${ENCRYPTION_VARIABLE}`,
      );
    const bytes = data ?? new Uint8Array();
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const opened = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      return PayloadMessage.decode(opened);
    } catch (cause) {
      throw new CannotDecrypt(`data encrypted with key ${id} was damaged or changed`, { cause });
    }
  }
}

/** Where the failure converter that goes with encryption is; without an extension, for both `src/` and `dist/`. */
export const ENCODED_FAILURES_PATH = path.join(__dirname, 'encoded-failures');

/** @returns undefined without a key. @throws ConfigError on a bad key */
export function encryptionCodec(env: Env): EncryptionCodec | undefined {
  const keys = encryptionKeys(env);
  return keys && new EncryptionCodec(keys);
}

/**
 * The converter for clients: undefined, the SDK's own, without a key. @throws ConfigError on a bad key
 * @param codec how a worker reads, in place of how a client does
 */
export function dataConverter(
  env: Env,
  codec: PayloadCodec | undefined = encryptionCodec(env),
): DataConverter | undefined {
  if (codec === undefined) return undefined;
  return {
    payloadCodecs: [codec],
    ...(encryptionIsOn(env) && { failureConverterPath: ENCODED_FAILURES_PATH }),
  };
}
