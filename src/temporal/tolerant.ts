/** How workers read: whoever reaches Temporal may send anything, and no data may stop a run for good. */
import {
  defaultPayloadConverter,
  type Payload,
  type PayloadCodec,
  type SerializationContext,
} from '@temporalio/common';
import { type Origin, withOrigin } from '../runs/origins';
import { unreadable } from '../runs/unreadable-data';
import { CannotDecrypt, describeKey, type EncryptionCodec, encryptedWith } from './encryption';

/** Without the text itself, which a parser's own message would quote (S4). */
const NO_JSON = 'data are in no form that is read here, or damaged';
const BINARY = 'binary/plain';

interface HowItReads {
  /** Whether some worker of the namespace has the key of this ID. */
  isFleets(keyId: string): Promise<boolean>;
  /** Encryption is required: what arrives is judged by where it is from. @default false */
  requires?: boolean;
}

/**
 * What cannot be read becomes a mark in its place. It has to become the same on every worker, or a replay would differ: so
 * what another worker may be able to read fails the task here, which that one then takes.
 */
export class TolerantCodec implements PayloadCodec {
  constructor(
    private readonly encryption: EncryptionCodec | undefined,
    private readonly how: HowItReads,
  ) {}

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return this.encryption ? this.encryption.encode(payloads, context) : payloads;
  }

  decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return Promise.all(payloads.map((payload) => this.read(payload, context)));
  }

  private async read(payload: Payload, context: SerializationContext | undefined): Promise<Payload> {
    try {
      const opened = this.encryption?.open(payload, context);
      const value: unknown = defaultPayloadConverter.fromPayload(opened?.payload ?? payload);
      if (!opened || this.how.requires !== true) return opened?.payload ?? payload;
      return told(opened.payload, value, opened.origin);
    } catch (error) {
      const key = encryptedWith(payload);
      if (key !== undefined && !this.encryption?.has(key)) {
        if (await this.how.isFleets(key)) throw error;
        return mark(`data were encrypted with ${describeKey(key)}, which no worker has`);
      }
      return mark(error instanceof CannotDecrypt ? error.message : NO_JSON);
    }
  }
}

/** Beside it, where it is from. */
function told(payload: Payload, value: unknown, origin: Origin): Payload {
  if (new TextDecoder().decode(payload.metadata?.encoding ?? undefined) !== BINARY)
    return defaultPayloadConverter.toPayload(withOrigin(value, origin));
  // Bytes are in none of our messages: there is nothing to put the origin beside.
  return origin.form === 'run' ? payload : mark(NO_JSON);
}

const mark = (why: string): Payload => defaultPayloadConverter.toPayload(unreadable(why));
