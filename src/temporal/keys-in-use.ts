/** What still needs each encryption key: without it, the runs that were written with it stand still. */

import { performance } from 'node:perf_hooks';
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { LEDGER_ID } from '../ledger/messages';
import { ledgersOf } from '../runs/lists';
import { isKeyId, KEY_ID_ENTRY } from './encryption';
import { GRPC, grpcStatus } from './grpc-status';
import { createLimit } from './in-flight';
import { OURS_UNDER_WAY } from './queues';
import { scheduleId } from './schedules';

type IWorkflowExecution = temporal.api.common.v1.IWorkflowExecution;
type IWorkflowExecutionInfo = temporal.api.workflow.v1.IWorkflowExecutionInfo;
/** For the next page; null for the first one. */
type Token = Uint8Array | null;

/** Of one answer of the server, which may give fewer. */
const PAGE = 1_000;
const AT_ONCE = 20;
/** For looking at open runs, of the time that `doctor` has for all. */
const LOOK_MS = 10_000;

/** By the ID of a key: the IDs of the open runs and schedules that were written with it. */
export type KeysInUse = ReadonlyMap<string, readonly string[]>;

/** What needs which key, as far as there was time to look. */
export interface KeysFound {
  keys: KeysInUse;
  /** Open runs that were looked at, the oldest first. */
  looked: number;
  /** Open runs that nothing is known of: any of them may need any key. */
  left: number;
}

/**
 * The keys of our open runs and of the pipelines' schedules. A run is read to its end: it may have gone on with another key than
 * it began with. @param lookMs after which no other run is looked at
 */
export async function keysInUse(client: Client, lookMs = LOOK_MS): Promise<KeysFound> {
  const [{ runs, left }, planned] = await Promise.all([openRuns(client, lookMs), schedules(client)]);
  return { keys: gather([...runs, ...planned]), looked: runs.length - left, left };
}

async function openRuns(client: Client, lookMs: number): Promise<{ runs: Written[]; left: number }> {
  const open = await list(client, OURS_UNDER_WAY);
  // Whoever throws away an old key asks for the oldest runs; the server lists the newest first.
  open.sort((a, b) => startOf(a) - startOf(b));
  const until = performance.now() + lookMs;
  let left = 0;
  const runs = await each(open, ({ execution }) => [
    execution?.workflowId,
    async () => {
      if (performance.now() < until) return historyKeys(client, execution ?? {});
      left++;
      return [];
    },
  ]);
  return { runs, left };
}

const startOf = ({ startTime }: IWorkflowExecutionInfo): number => Number(startTime?.seconds ?? 0);

/** Those of the inputs of open ledgers, or of what is called like one. */
export async function ledgerKeysInUse(client: Client): Promise<KeysInUse> {
  const called = await list(client, ledgersOf());
  const ledgers = called.filter(({ execution }) => LEDGER_ID.test(execution?.workflowId ?? ''));
  return gather(
    await each(ledgers, ({ execution }) => [execution?.workflowId, () => inputKeys(client, execution ?? {})]),
  );
}

/** Those of the inputs of the newest runs with these IDs; without a list. */
export const inputKeysOf = async (client: Client, workflowIds: Iterable<string>): Promise<KeysInUse> =>
  gather(await each([...workflowIds], (workflowId) => [workflowId, () => inputKeys(client, { workflowId })]));

interface Written {
  id: string;
  keys: Iterable<string>;
}

function gather(all: readonly Written[]): KeysInUse {
  const found = new Map<string, string[]>();
  for (const { id, keys } of all) for (const key of keys) found.set(key, [...(found.get(key) ?? []), id]);
  return found;
}

/** As the server tells it, here and below: the client's own lists decode what they find, and fail where a key is missing. */
const list = ({ workflowService, options: { namespace } }: Client, query: string): Promise<IWorkflowExecutionInfo[]> =>
  pages(async (nextPageToken) => {
    const page = await workflowService.listWorkflowExecutions({ namespace, query, pageSize: PAGE, nextPageToken });
    return [page.executions, page.nextPageToken];
  });

async function historyKeys(client: Client, execution: IWorkflowExecution): Promise<Set<string>> {
  const found = new Set<string>();
  await pages(async (token) => {
    const page = await historyPage(client, execution, PAGE, token);
    keyIdsIn(page, found);
    return [[], page.nextPageToken];
  });
  return found;
}

const inputKeys = async (client: Client, execution: IWorkflowExecution): Promise<Set<string>> =>
  keyIdsIn(await historyPage(client, execution, 1));

const historyPage = (
  { workflowService, options: { namespace } }: Client,
  execution: IWorkflowExecution,
  maximumPageSize: number,
  nextPageToken: Token = null,
) => workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize, nextPageToken });

async function schedules({ workflowService, options: { namespace } }: Client): Promise<Written[]> {
  const query = `ScheduleId STARTS_WITH '${scheduleId('')}'`;
  const listed = await pages(async (nextPageToken) => {
    const page = await workflowService.listSchedules({ namespace, query, maximumPageSize: PAGE, nextPageToken });
    return [page.schedules, page.nextPageToken];
  });
  return each(listed, ({ scheduleId }) => [
    scheduleId,
    async () => keyIdsIn(await workflowService.describeSchedule({ namespace, scheduleId: scheduleId ?? '' })),
  ]);
}

/** All of what the server tells in pages. */
async function pages<T>(ask: (token: Token) => Promise<[page: readonly T[], next?: Token]>): Promise<T[]> {
  const all: T[] = [];
  for (let token: Token = null; ; ) {
    const [page, next] = await ask(token);
    all.push(...page);
    if (!next || next.length === 0) return all;
    token = next;
  }
}

async function each<T>(
  all: readonly T[],
  look: (one: T) => [id: string | null | undefined, ask: () => Promise<Iterable<string>>],
): Promise<Written[]> {
  const limit = createLimit(AT_ONCE);
  return Promise.all(
    all.map(look).map(async ([id, ask]) => ({ id: id ?? '', keys: await limit(ask).catch(noneIfGone) })),
  );
}

function noneIfGone(error: unknown): string[] {
  if (grpcStatus(error) !== GRPC.NOT_FOUND) throw error;
  return [];
}

/** Of all payloads in it, however deep. */
export function keyIdsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return found;
  for (const [name, inner] of Object.entries(value))
    if (name !== KEY_ID_ENTRY || !(inner instanceof Uint8Array)) keyIdsIn(inner, found);
    else {
      const id = new TextDecoder().decode(inner);
      // Anybody may write anything there.
      if (isKeyId(id)) found.add(id);
    }
  return found;
}
