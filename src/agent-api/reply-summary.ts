/** What may be said of a reply without showing it: how many records, and their IDs (S4). */

import { Id } from './id';
import { isObject } from './shape';

/** Of a list the number of records and the first IDs; of one record its ID. */
export interface CallSummary {
  records?: number;
  ids: string[];
}

const MOST_IDS = 20;

/** The reply itself, then what its envelopes hold. */
function* layers(value: unknown, depth = 0): Generator<unknown> {
  yield value;
  if (isObject(value) && depth < 2) for (const inner of Object.values(value)) yield* layers(inner, depth + 1);
}

const idOf = (record: unknown): string | undefined =>
  isObject(record) && Id.safeParse(record.id).success ? String(record.id) : undefined;

export function summarise(reply: unknown): { summary?: CallSummary } {
  for (const layer of layers(reply)) {
    const id = idOf(layer);
    if (id !== undefined) return { summary: { ids: [id] } };
    if (Array.isArray(layer))
      return { summary: { records: layer.length, ids: layer.flatMap((one) => idOf(one) ?? []).slice(0, MOST_IDS) } };
  }
  return {};
}
