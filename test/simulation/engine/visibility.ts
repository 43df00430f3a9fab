/** Lists and counts of runs, which lag behind; of the query language as much as the product uses. */
import { GRPC, GrpcError, shownBy } from './proto';
import type { Run } from './run';
import type { Server } from './server';

interface Row {
  run: Run;
  fields: Record<string, unknown>;
}

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
    this.#later((rows) => void rows.set(run.runId, { run, fields: fieldsOf(run) }));
  }

  deleted(run: Run): void {
    this.#later((rows) => void rows.delete(run.runId));
  }

  /** They are in the database that the server has now. */
  restart(runs: readonly Run[]): void {
    this.#rows = new Map(runs.map((run) => [run.runId, { run, fields: fieldsOf(run) }]));
  }

  #later(show: (rows: Map<string, Row>) => void): void {
    const { world, mishaps } = this.server;
    const rows = this.#rows;
    world.after(mishaps.happens('listsLate') ? world.random.between(1_000, 10_000) : world.random.between(1, 300), () =>
      show(rows),
    );
  }

  /** The last begun first. */
  list(query: string): Run[] {
    const fits = parse(query);
    const found = [...this.#rows.values()].filter(({ fields }) => fits(fields));
    return found.map(({ run }) => run).sort((one, other) => other.startedAt - one.startedAt);
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

type Fits = (fields: Row['fields']) => boolean;

/** `A = 'x' AND (B IN ('y', 'z') OR C IS NOT NULL)` and the like. */
function parse(query: string): Fits {
  const tokens = query.match(/'[^']*'|[A-Za-z_]+|!=|[=<>(),]/g) ?? [];
  let at = 0;
  const next = () => tokens[at++] ?? '';
  const takes = (word: string) => tokens[at]?.toUpperCase() === word && ++at > 0;
  const value = () => next().replace(/^'|'$/g, '');
  const many = () => {
    const all: string[] = [];
    next();
    do all.push(value());
    while (takes(','));
    next();
    return all;
  };
  const either = (): Fits => {
    let left = both();
    while (takes('OR')) {
      const [one, other] = [left, both()];
      left = (fields) => one(fields) || other(fields);
    }
    return left;
  };
  const both = (): Fits => {
    let left = single();
    while (takes('AND')) {
      const [one, other] = [left, single()];
      left = (fields) => one(fields) && other(fields);
    }
    return left;
  };
  const single = (): Fits => {
    if (takes('(')) {
      const inner = either();
      next();
      return inner;
    }
    const name = next();
    const shown = (fields: Row['fields']) => (fields[name] === undefined ? undefined : String(fields[name]));
    if (takes('IS')) {
      const isNot = takes('NOT');
      next();
      return (fields) => (shown(fields) !== undefined) === isNot;
    }
    if (takes('IN')) {
      const all = many();
      return (fields) => all.includes(shown(fields) ?? '');
    }
    const compare = {
      '=': (a: string, b: string) => a === b,
      '!=': (a: string, b: string) => a !== b,
      '>': (a: string, b: string) => a > b,
      '<': (a: string, b: string) => a < b,
    }[next()];
    if (!compare) throw new GrpcError(GRPC.INVALID_ARGUMENT, `not simulated: the query ${query}`);
    const wanted = value();
    return (fields) => {
      const found = shown(fields);
      return found !== undefined && compare(found, wanted);
    };
  };
  return either();
}
