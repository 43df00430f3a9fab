/** Data as 0.2.0 encrypted them: bound to nothing. */
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

export function sealedBefore(key: Buffer, payload: Payload): Payload {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const plain = temporal.api.common.v1.Payload.encode(payload).finish();
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  const id = createHash('sha256').update('audit-runner').update(key).digest('hex').slice(0, 16);
  return {
    metadata: { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from(id) },
    data: Buffer.concat([iv, cipher.getAuthTag(), sealed]),
  };
}
