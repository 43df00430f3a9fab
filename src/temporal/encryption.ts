/**
 * Encryption of all that Temporal stores of a run's data (S4): on when there are keys. Data open where they were encrypted for,
 * and nowhere else (`binding.ts`).
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import type { DataConverter, Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { Origin } from '../runs/origins';
import { Binding, bindingFor, isFor } from './binding';
import { ENCRYPTION_VARIABLE, encryptionIsOn, encryptionKeys } from './encryption-keys';
import type { Env } from './environment';

const { Payload: PayloadMessage } = temporal.api.common.v1;

const ENCODING = 'binary/encrypted';
/** Where a payload's metadata has the ID of its key. */
export const KEY_ID_ENTRY = 'encryption-key-id';
/** Which form it has. Absent: that of 0.2.0, which is bound to nothing. */
const FORMAT_ENTRY = 'encryption-format';
const FORMAT = '2';
const BINDING_ENTRY = 'encryption-binding';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Data cannot be decrypted: the message names the missing key's ID, or what they were encrypted for. */
export class CannotDecrypt extends Error {
  override readonly name = 'CannotDecrypt';
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array | null | undefined) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes ?? new Uint8Array());

const KEY_ID = /^[0-9a-f]{16}$/;
/** Whoever wrote the data chose what stands there. */
export const isKeyId = (id: string): boolean => KEY_ID.test(id);
export const describeKey = (id: string): string => (isKeyId(id) ? `key ${id}` : 'a key without a proper ID');

/** Names a key without telling anything about it. */
const keyId = (key: Buffer) => createHash('sha256').update('audit-runner').update(key).digest('hex').slice(0, 16);

/** The ID of the key that a payload is encrypted with, as its writer says; undefined where it is not encrypted. */
export const encryptedWith = ({ metadata }: Payload): string | undefined =>
  text(metadata?.encoding) === ENCODING ? text(metadata?.[KEY_ID_ENTRY]) : undefined;

/** What the cipher vouches for beside the data themselves. */
const vouched = (id: string, binding: string) => utf8(JSON.stringify(['audit-runner', FORMAT, id, binding]));

export interface Opened {
  payload: Payload;
  origin: Origin;
  /** Of data in the present form. */
  binding?: Binding;
}

/** AES-256-GCM over whole payloads. What is not encrypted is read as it is. */
export class EncryptionCodec implements PayloadCodec {
  private readonly current: { id: string; key: Buffer };
  private readonly keys: ReadonlyMap<string, Buffer>;

  /**
   * @param keys newest first, at least one
   * @param namespace of what the SDK tells nothing of
   */
  constructor(
    keys: readonly Buffer[],
    private readonly namespace: string,
  ) {
    const [newest] = keys;
    if (newest === undefined) throw new Error('encryption needs a key');
    this.current = { id: keyId(newest), key: newest };
    this.keys = new Map(keys.map((key) => [keyId(key), key]));
  }

  has(id: string): boolean {
    return this.keys.has(id);
  }

  /** Encrypted as it would be now, with the first key. */
  isPresent(payload: Payload): boolean {
    return encryptedWith(payload) === this.current.id && text(payload.metadata?.[FORMAT_ENTRY]) === FORMAT;
  }

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return payloads.map((payload) => this.seal(payload, bindingFor(context, this.namespace)));
  }

  async decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return payloads.map((payload) => this.open(payload, context).payload);
  }

  seal(payload: Payload, binding: Binding): Payload {
    const { id, key } = this.current;
    const bound = JSON.stringify(binding);
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key, iv).setAAD(vouched(id, bound));
    const sealed = [cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()];
    return {
      metadata: {
        encoding: utf8(ENCODING),
        [KEY_ID_ENTRY]: utf8(id),
        [FORMAT_ENTRY]: utf8(FORMAT),
        [BINDING_ENTRY]: utf8(bound),
      },
      data: Buffer.concat([iv, cipher.getAuthTag(), ...sealed]),
    };
  }

  /** @param context where it is read; absent: nobody knows, and only its namespace can be asked for. @throws CannotDecrypt */
  open(payload: Payload, context?: SerializationContext): Opened {
    if (encryptedWith(payload) === undefined) return { payload, origin: { form: 'plain' } };
    const format = text(payload.metadata?.[FORMAT_ENTRY]);
    if (format === '') return { payload: this.decrypt(payload), origin: { form: 'earlier' } };
    if (format !== FORMAT) throw new CannotDecrypt('data was encrypted in a form that this version does not know');
    const bound = text(payload.metadata?.[BINDING_ENTRY]);
    const opened = this.decrypt(payload, bound);
    const binding = Binding.parse(JSON.parse(bound));
    const form = context ? isFor(binding, context) : 'run';
    if (form === undefined) throw new CannotDecrypt('data was encrypted for another run, or another part of this one');
    const seal = Buffer.from(payload.data?.subarray(0, IV_BYTES) ?? []).toString('base64');
    return { payload: opened, binding, origin: { form, as: binding.as, at: binding.at, seal } };
  }

  /** @param bound as it stands beside the data; absent in the form of 0.2.0 */
  private decrypt({ metadata, data }: Payload, bound?: string): Payload {
    const id = text(metadata?.[KEY_ID_ENTRY]);
    const key = this.keys.get(id);
    if (key === undefined)
      throw new CannotDecrypt(
        `data was encrypted with ${describeKey(id)}, which is not among those in ${ENCRYPTION_VARIABLE}`,
      );
    const bytes = data ?? new Uint8Array();
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      if (bound !== undefined) decipher.setAAD(vouched(id, bound));
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

/** The IDs of the keys, newest first; none without encryption. @throws ConfigError on a bad key */
export const encryptionKeyIds = (env: Env): string[] => (encryptionKeys(env) ?? []).map(keyId);

/** @returns undefined without a key. @throws ConfigError on a bad key */
export function encryptionCodec(env: Env, namespace: string): EncryptionCodec | undefined {
  const keys = encryptionKeys(env);
  return keys && new EncryptionCodec(keys, namespace);
}

/**
 * The converter for clients: undefined, the SDK's own, without a key. @throws ConfigError on a bad key
 * @param codec how a worker reads, in place of how a client does
 */
export function dataConverter(
  env: Env,
  namespace: string,
  codec: PayloadCodec | undefined = encryptionCodec(env, namespace),
): DataConverter | undefined {
  if (codec === undefined) return undefined;
  return {
    payloadCodecs: [codec],
    ...(encryptionIsOn(env) && { failureConverterPath: ENCODED_FAILURES_PATH }),
  };
}
