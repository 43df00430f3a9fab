/** What still needs each encryption key: without it, the runs that were written with it stand still. */

import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { LEDGER_ID } from '../ledger/messages';
import { ledgersOf } from '../runs/lists';
import { isKeyId, KEY_ID_ENTRY } from './encryption';
import { GRPC, grpcStatus } from './grpc-status';
import { createLimit } from './in-flight';
import { scheduleId } from './schedules';

type IWorkflowExecution = temporal.api.common.v1.IWorkflowExecution;

/** Open runs and schedules that are looked at, of each at most so many. */
const MOST = 200;
const AT_ONCE = 20;
/** Of a run: what is written later is written with the same key, unless the workers got another meanwhile. */
const EVENTS = 50;

/** By the ID of a key: the IDs of the open runs and schedules that were written with it. */
export type KeysInUse = ReadonlyMap<string, readonly string[]>;

/** The keys of all open runs and of the pipelines' schedules. */
export const keysInUse = (client: Client): Promise<KeysInUse> =>
  gather([runs(client, "ExecutionStatus = 'Running'", EVENTS), schedules(client)]);

/** Those of the inputs of open ledgers, or of what is called like one. */
export async function ledgerKeysInUse(client: Client): Promise<KeysInUse> {
  const written = await runs(client, ledgersOf(), 1);
  return gather([written.filter(({ id }) => LEDGER_ID.test(id))]);
}

/** Those of the inputs of the newest runs with these IDs; without a list. */
export const inputKeysOf = async (client: Client, workflowIds: Iterable<string>): Promise<KeysInUse> =>
  gather([each([...workflowIds], (id) => [id, () => history(client, { workflowId: id }, 1)])]);

interface Written {
  id: string;
  /** As the server tells it: the client's own lists decode what they find, and fail where a key is missing. */
  raw: unknown;
}

async function gather(sources: readonly (readonly Written[] | Promise<readonly Written[]>)[]): Promise<KeysInUse> {
  const found = new Map<string, string[]>();
  for (const { id, raw } of (await Promise.all(sources)).flat())
    for (const key of keyIdsIn(raw)) found.set(key, [...(found.get(key) ?? []), id]);
  return found;
}

async function runs(client: Client, query: string, maximumPageSize: number): Promise<Written[]> {
  const { namespace } = client.options;
  const { executions } = await client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: MOST });
  return each(executions, ({ execution }) => [
    execution?.workflowId,
    () => history(client, execution ?? {}, maximumPageSize),
  ]);
}

const history = ({ workflowService, options: { namespace } }: Client, execution: IWorkflowExecution, most: number) =>
  workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: most });

async function schedules(client: Client): Promise<Written[]> {
  const { workflowService } = client;
  const { namespace } = client.options;
  const query = `ScheduleId STARTS_WITH '${scheduleId('')}'`;
  const listed = await workflowService.listSchedules({ namespace, query, maximumPageSize: MOST });
  return each(listed.schedules, ({ scheduleId }) => [
    scheduleId,
    () => workflowService.describeSchedule({ namespace, scheduleId: scheduleId ?? '' }),
  ]);
}

async function each<T>(
  all: readonly T[],
  look: (one: T) => [id: string | null | undefined, ask: () => Promise<unknown>],
): Promise<Written[]> {
  const limit = createLimit(AT_ONCE);
  return Promise.all(
    all.map(look).map(async ([id, ask]) => ({ id: id ?? '', raw: await limit(ask).catch(nothingIfGone) })),
  );
}

function nothingIfGone(error: unknown): undefined {
  if (grpcStatus(error) !== GRPC.NOT_FOUND) throw error;
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
