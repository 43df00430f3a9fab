/** Lists and counts of runs, which lag behind; of the query language as much as the product uses. */
import { runInThisContext } from 'node:vm';
import { temporal as api } from '@temporalio/proto';
import Long from 'long';
import { GRPC, GrpcError, shownBy, timestamp } from './proto';
import type { Run } from './run';
import type { Server } from './server';

const { WorkflowExecutionStatus } = api.api.enums.v1;

/** What is known of a run, as it was when the row was written: what is shown of it lags behind as what is asked for does. */
interface Row {
  startedAt: number;
  fields: Record<string, unknown>;
  info: ReturnType<typeof infoOf>;
}

export const executionOf = ({ workflowId, runId }: Run) => ({ workflowId, runId });

export const infoOf = (run: Run) => ({
  execution: executionOf(run),
  type: { name: run.type },
  status: WorkflowExecutionStatus[`WORKFLOW_EXECUTION_STATUS_${run.status}`],
  startTime: timestamp(run.startedAt),
  executionTime: timestamp(run.startedAt),
  ...(run.closedAt !== undefined && { closeTime: timestamp(run.closedAt) }),
  historyLength: Long.fromNumber(run.history.length),
  taskQueue: run.taskQueue,
  firstRunId: run.firstRunId,
  searchAttributes: { indexedFields: run.searchAttributes },
  memo: { fields: run.memo },
  ...(run.start.parent && { parentExecution: executionOf(run.start.parent.run) }),
});

const rowOf = (run: Run): Row => ({ startedAt: run.startedAt, fields: fieldsOf(run), info: infoOf(run) });

const NAMES: Record<string, string> = {
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  CANCELED: 'Canceled',
  TERMINATED: 'Terminated',
  CONTINUED_AS_NEW: 'ContinuedAsNew',
};

export class Visibility {
  #rows = new Map<string, Row>();

  constructor(private readonly server: Server) {}

  changed(run: Run): void {
    this.#later((rows) => void rows.set(run.runId, rowOf(run)));
  }

  deleted(run: Run): void {
    this.#later((rows) => void rows.delete(run.runId));
  }

  /** They are in the database that the server has now. */
  restart(runs: readonly Run[]): void {
    this.#rows = new Map(runs.map((run) => [run.runId, rowOf(run)]));
  }

  #later(show: (rows: Map<string, Row>) => void): void {
    const { world, mishaps } = this.server;
    const rows = this.#rows;
    world.after(mishaps.happens('listsLate') ? world.random.between(1_000, 10_000) : world.random.between(1, 300), () =>
      show(rows),
    );
  }

  /** The last begun first. */
  list(query: string): Row['info'][] {
    const fits = this.#parsed(query);
    const found = [...this.#rows.values()].filter(({ fields }) => fits(fields));
    return found.sort((one, other) => other.startedAt - one.startedAt).map(({ info }) => info);
  }

  #parsed(query: string): ReturnType<typeof parse> {
    try {
      return parse(query);
    } catch {
      this.server.onUnknown(`the query ${query}`);
      throw new GrpcError(GRPC.INVALID_ARGUMENT, `not simulated: ${query}`);
    }
  }
}

function fieldsOf(run: Run): Row['fields'] {
  const own = Object.entries(run.searchAttributes).map(([name, payload]) => [name, shownBy(payload)]);
  return {
    ...Object.fromEntries(own),
    ...{ WorkflowId: run.workflowId, WorkflowType: run.type, RunId: run.runId, ExecutionStatus: NAMES[run.status] },
    ...(run.start.parent && {
      ParentWorkflowId: run.start.parent.run.workflowId,
      RootWorkflowId: rootOf(run).workflowId,
    }),
    StartTime: new Date(run.startedAt).toISOString(),
    ...(run.closedAt !== undefined && { CloseTime: new Date(run.closedAt).toISOString() }),
  };
}

const rootOf = (run: Run): Run => (run.start.parent ? rootOf(run.start.parent.run) : run);

const AND_OR: Readonly<Record<string, string>> = { AND: '&&', OR: '||' };
const CONDITION =
  /(?<name>\w+) (?:(?<is>=|!=|[<>]=?) (?<value>'[^']*'|"[^"]*"|true|false)|IN \((?<all>[^)]*)\)|(?<there>IS NOT NULL))|\b(?<and>AND|OR)\b/g;

/** Of the query language as much as the product uses: `A = 'x' AND (B IN ('y', 'z') OR C IS NOT NULL)`, made JavaScript. */
function parse(query: string): (fields: Row['fields']) => boolean {
  const source = query.replace(CONDITION, (...found) => {
    const { name, is, value, all, there, and } = found.at(-1) as Record<string, string | undefined>;
    if (and) return AND_OR[and] ?? '';
    const shown = `fields.${name}`;
    if (there) return `${shown} !== undefined`;
    if (all) return `[${all}].includes(String(${shown}))`;
    return `(${shown} !== undefined && String(${shown}) ${is === '=' ? '===' : is} ${/^['"]/.test(value ?? '') ? value : `'${value}'`})`;
  });
  return runInThisContext(`(fields) => ${source || true}`);
}
