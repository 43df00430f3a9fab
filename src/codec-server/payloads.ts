/** Payloads as the Web UI and the `temporal` command send them to a codec server: protobuf's JSON, bytes in base64. */
import type { Payload } from '@temporalio/common';
import { z } from 'zod';

/** Some senders leave out what is empty, and some write `-` and `_`; both are read. */
const Bytes = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'is not base64');

const Payloads = z.object({
  payloads: z.array(z.object({ metadata: z.record(z.string(), Bytes).nullish(), data: Bytes.nullish() })),
});

/** @throws ZodError */
export function payloadsIn(body: unknown): Payload[] {
  return Payloads.parse(body).payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, text]) => [name, bytes(text)])),
    ...(typeof data === 'string' && { data: bytes(data) }),
  }));
}

export const payloadsBody = (payloads: readonly Payload[]) => ({
  payloads: payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
    ...(data && { data: base64(data) }),
  })),
});

const bytes = (text: string): Uint8Array => Buffer.from(text, 'base64');
const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64');
