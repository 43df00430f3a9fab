/** How workers read: whoever reaches Temporal may send anything, and no data may stop a run for good. */
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { unreadable } from '../runs/unreadable-data';
import { CannotDecrypt, type EncryptionCodec, encryptedWith, keyInWords } from './encryption';

/** Without the text itself, which a parser's own message would quote (S4). */
const NO_JSON = 'data are in no form that is read here, or damaged';

/**
 * What cannot be read becomes a mark in its place. It has to become the same on every worker, or a replay would differ: so
 * what another worker may be able to read fails the task here, which that one then takes.
 */
export class TolerantCodec implements PayloadCodec {
  /** @param isFleets whether some worker of the namespace has the key of this ID */
  constructor(
    private readonly encryption: EncryptionCodec | undefined,
    private readonly isFleets: (keyId: string) => Promise<boolean>,
  ) {}

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return this.encryption ? this.encryption.encode(payloads) : payloads;
  }

  decode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.all(payloads.map((payload) => this.read(payload)));
  }

  private async read(payload: Payload): Promise<Payload> {
    try {
      const [opened = payload] = this.encryption ? await this.encryption.decode([payload]) : [];
      defaultPayloadConverter.fromPayload(opened);
      return opened;
    } catch (error) {
      const key = encryptedWith(payload);
      if (key !== undefined && !this.encryption?.has(key)) {
        if (await this.isFleets(key)) throw error;
        return mark(`data were encrypted with ${keyInWords(key)}, which no worker has`);
      }
      return mark(error instanceof CannotDecrypt ? error.message : NO_JSON);
    }
  }
}

const mark = (why: string): Payload => defaultPayloadConverter.toPayload(unreadable(why));
