/** Histories as files: recorded from real runs, without what belongs to the machine that they ran on. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { History } = temporal.api.history.v1;

/** A run, as `Worker.runReplayHistories` takes it. */
export interface Recorded {
  workflowId: string;
  history: temporal.api.history.v1.IHistory;
}

const FOLDER = join(__dirname, '..', 'histories');

/**
 * Every run that the server knows, also of workflows that have ended or continued as new; but for one that has been
 * continued as new within the second, whose history has its start alone: the SDK's replay of that never ends.
 */
export async function recordedRuns({ workflow }: Client): Promise<Recorded[]> {
  const runs: Recorded[] = [];
  for await (const { workflowId, runId } of workflow.list()) {
    const history = await workflow.getHandle(workflowId, runId).fetchHistory();
    if ((history.events?.length ?? 0) > 1) runs.push({ workflowId, history });
  }
  return runs;
}

/** The histories that are kept with the code: one for each file, named by it. */
export const keptRuns = (): Recorded[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({
      workflowId: file.slice(0, -'.json'.length),
      history: History.fromObject(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))),
    }));

/** The JSON of a history without names of processes and the host, and without stack traces, which hold paths. */
function portable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(`${process.pid}@${hostname()}`, 'recorded');
  if (Array.isArray(value)) return value.map(portable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'stackTrace')
      .map(([key, inner]) => [key, portable(inner)]),
  );
}

/** Keeps a run as `{name}.json`. @throws Error when it still names the machine */
export function keepRun(name: string, { history }: Recorded): void {
  const plain = History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String });
  const json = JSON.stringify(portable(plain), undefined, 1);
  for (const trace of [`@${hostname()}`, process.cwd(), '/tmp/'])
    if (json.includes(trace)) throw new Error(`the history of ${name} names ${trace}`);
  writeFileSync(join(FOLDER, `${name}.json`), `${json}\n`);
}
