import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { measureWith } from '../../src/metrics/meter';
import { PersonWaits } from '../../src/temporal/person-waits';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';

/** Runs that wait for a person: at which step, and since when by their own word; without: they do not answer. */
type Waiting = Record<string, { stage: string; since?: string }>;
let waiting: Waiting;
let asked: string[];
const gauges = new Map<string, number>();

const client = {
  withDeadline: <T>(_: number, ask: () => Promise<T>) => ask(),
  workflow: {
    count: async () => ({ count: Object.keys(waiting).length }),
    async *list() {
      for (const [runId, { stage }] of Object.entries(waiting))
        yield {
          workflowId: `id-${runId}`,
          runId,
          typedSearchAttributes: new TypedSearchAttributes([{ key: searchAttributeKeys.stage, value: stage }]),
        };
    },
    getHandle: (_: string, runId: string) => ({
      async query() {
        asked.push(runId);
        const since = waiting[runId]?.since;
        if (since === undefined) throw new Error('no answer');
        return { doing: 'x', since };
      },
    }),
  },
} as unknown as Client;

beforeEach(() => {
  waiting = {};
  asked = [];
  measureWith({
    createGauge: (name: string) => ({ set: (value: number) => gauges.set(name, value) }),
  } as unknown as Parameters<typeof measureWith>[0]);
});
afterEach(() => measureWith(undefined));

const shown = () => ({
  runs: gauges.get('audit_runner_runs_waiting_for_person'),
  since: gauges.get('audit_runner_person_waiting_since_timestamp_seconds'),
});
const day = (n: number) => `2026-01-0${n}T00:00:00.000Z`;
const seconds = (n: number) => Date.parse(day(n)) / 1_000;

test('the first of those that wait counts; none: 0', async () => {
  const waits = new PersonWaits(client, 'default');
  await waits.round();
  expect(shown()).toEqual({ runs: 0, since: 0 });
  waiting = { a: { stage: 'approval', since: day(3) }, b: { stage: 'approval', since: day(2) } };
  await waits.round();
  expect(shown()).toEqual({ runs: 2, since: seconds(2) });
  delete waiting.b;
  await waits.round();
  expect(shown()).toEqual({ runs: 1, since: seconds(3) });
});

test('a run is asked once while it waits at one step, and what it says later for other reasons does not count', async () => {
  const waits = new PersonWaits(client, 'default');
  waiting = { a: { stage: 'approval', since: day(1) } };
  await waits.round();
  waiting = { a: { stage: 'approval', since: day(4) } };
  await waits.round();
  expect([asked, shown().since]).toEqual([['a'], seconds(1)]);
  waiting = { a: { stage: 'documents', since: day(5) } };
  await waits.round();
  expect([asked, shown().since]).toEqual([['a', 'a'], seconds(5)]);
});

test('of many, twenty are asked in one round, the others in the next ones; those that do not answer again', async () => {
  const waits = new PersonWaits(client, 'default');
  waiting = Object.fromEntries([...Array(30).keys()].map((n) => [`r${n}`, { stage: 'approval', since: day(1) }]));
  waiting.r0 = { stage: 'approval' };
  await waits.round();
  expect([asked.length, shown().runs]).toEqual([20, 30]);
  await waits.round();
  expect(asked.length).toBe(31);
  expect(asked.filter((run) => run === 'r0')).toHaveLength(2);
});
