/** Replies that come compressed, though none was asked for: some proxies do that with everything. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Exchange } from './http';
import { isObject } from './shape';

const DECODERS: Record<string, typeof gunzipSync> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** The exchange with its body as it was before it was compressed; one that cannot be read stays as it is, and is no JSON. */
export function decoded(exchange: Exchange, maxBytes: number): Exchange {
  const { head, ending } = exchange;
  const named = head?.headers['content-encoding'];
  if (ending.kind !== 'complete' || named === undefined) return exchange;
  const encodings = String(named)
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '' && one !== 'identity');
  let { body } = ending;
  try {
    for (const encoding of encodings.reverse()) {
      const decode = DECODERS[encoding];
      if (!decode || body.length === 0) return exchange;
      body = decode(body, { maxOutputLength: maxBytes });
    }
  } catch (error) {
    const isTooLarge = isObject(error) && error.code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? { ...exchange, ending: { kind: 'tooLarge' } } : exchange;
  }
  return { ...exchange, ending: { kind: 'complete', body } };
}
