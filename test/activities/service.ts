/** Activities that read from a server whose replies a test writes itself, without a Temporal server. */
import { MockActivityEnvironment } from '@temporalio/testing';
import type { AccountRuntime } from '../../activities/deps';
import { Undocumented } from '../../src/agent-api/undocumented';
import { FailureType } from '../../src/runs/failure-types';
import { apiOf, json, type Seen, serve } from '../agent-api/server';

export interface Service {
  readonly runtime: AccountRuntime;
  readonly seen: Seen[];
}

/** @param reply the body of each reply, or a status for a refusal */
export async function serviceOf(
  reply: (query: URLSearchParams, seen: Seen) => object | number | Promise<object | number>,
  settings: object = {},
  headers: (query: URLSearchParams) => Record<string, string> = () => ({}),
): Promise<Service> {
  const server = await serve(async (response, seen) => {
    const query = new URL(seen.url, 'http://x').searchParams;
    const body = await reply(query, seen);
    if (typeof body === 'number') json(response, body, { error: 'Unknown parameter' });
    else json(response, 200, body, headers(query));
  });
  const undocumented = Undocumented.parse(settings);
  const runtime = {
    account: { name: 'default', undocumented, credits: () => 0 },
    api: apiOf(server.baseUrl, { undocumented }),
    gate: {
      acquire: async () => ({ ok: true }),
      parkedUntil: () => undefined,
      park: () => undefined,
      parksEnded: () => undefined,
    },
    ledger: async () => ({ now: () => Date.now(), passage: async () => undefined }),
  } as unknown as AccountRuntime;
  return { runtime, seen: server.seen };
}

/** Runs it as an activity; what goes back to the queue is tried again, as Temporal would. */
export async function asActivity<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++)
    try {
      return (await new MockActivityEnvironment({ attempt: 3 }).run(work)) as T;
    } catch (error) {
      const type = error instanceof Error && 'type' in error ? error.type : undefined;
      if (type !== FailureType.waiting || tries > 20) throw error;
    }
}
