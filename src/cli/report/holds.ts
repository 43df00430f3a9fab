/** When an account was on hold: its ledger tells people of each hold that begins and ends, and its histories keep that. */
import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { temporal } from '@temporalio/proto';
import { z } from 'zod';
import type { Hold } from '../../ledger';
import type { HoldSpan, Holds } from '../../report/spending';
import { quoted } from '../../text/list-filter';
import { eventsOf, momentOf } from './events';

/** Histories of a ledger, of some 1,500 events each, that are read; what is older counts as unknown. */
const MOST_HISTORIES = 60;
const MOST_EVENTS = 20_000;

const News = z.looseObject({ kind: z.enum(['holdBegan', 'holdEnded']), what: z.string() });
export interface HoldNews {
  readonly at: number;
  readonly kind: 'holdBegan' | 'holdEnded';
  readonly what: string;
}

/** @param present those that are there now */
export async function holdsOf(
  client: Client,
  ledger: string,
  present: readonly Hold[],
  [since, until]: readonly [number, number],
): Promise<Holds> {
  const query = `WorkflowId = ${quoted(ledger)} AND (ExecutionStatus = 'Running' OR CloseTime >= '${new Date(since).toISOString()}')`;
  const runs: { workflowId: string; runId: string; startTime: Date }[] = [];
  for await (const run of client.workflow.list({ query })) runs.push(run);
  runs.sort((a, b) => b.startTime.getTime() - a.startTime.getTime());
  const news: HoldNews[] = [];
  let knownFrom: number | undefined;
  for (const run of runs.slice(0, MOST_HISTORIES)) {
    const read = await newsOf(client, run);
    // Behind a gap nothing could be told apart.
    if (read === undefined) break;
    news.push(...read);
    knownFrom = run.startTime.getTime();
  }
  return spansOf(news, present, knownFrom, [since, until]);
}

/** @returns undefined where the history is gone, or cannot be read here: a key is missing */
async function newsOf(client: Client, run: { workflowId: string; runId: string }): Promise<HoldNews[] | undefined> {
  const events = await eventsOf(client, run, MOST_EVENTS);
  if (events === undefined) return undefined;
  try {
    return (await Promise.all(events.map((event) => newsIn(client, event)))).flat();
  } catch {
    return undefined;
  }
}

async function newsIn(client: Client, event: temporal.api.history.v1.IHistoryEvent): Promise<HoldNews[]> {
  const { activityType, input } = event.activityTaskScheduledEventAttributes ?? {};
  if (activityType?.name !== 'tell') return [];
  const [notice] = await decodeArrayFromPayloads(client.options.loadedDataConverter, input?.payloads);
  const read = News.safeParse(notice);
  return read.success ? [{ at: momentOf(event), kind: read.data.kind, what: read.data.what }] : [];
}

/** Holds of the period, the latest first. Pure. @param knownFrom from which on all news are there */
export function spansOf(
  news: readonly HoldNews[],
  present: readonly Pick<Hold, 'kind' | 'since'>[],
  knownFrom: number | undefined,
  [since, until]: readonly [number, number],
): Holds {
  const open = new Map<string, number>();
  const spans: HoldSpan[] = [];
  for (const { at, kind, what } of [...news].sort((a, b) => a.at - b.at)) {
    if (kind === 'holdBegan') open.set(what, open.get(what) ?? at);
    else {
      spans.push({ kind: what, from: open.get(what) ?? knownFrom ?? at, to: at });
      open.delete(what);
    }
  }
  for (const { kind, since: from } of present) {
    spans.push({ kind, from });
    open.delete(kind);
  }
  // It has ended, and that was not told yet.
  for (const [kind, from] of open) spans.push({ kind, from, to: until });
  return {
    ...(knownFrom !== undefined && { knownFrom }),
    spans: spans.filter(({ to = until }) => to >= since).sort((a, b) => b.from - a.from),
  };
}
