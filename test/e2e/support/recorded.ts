/** Histories as files: recorded from real runs, without what belongs to the machine that they ran on. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import pino from 'pino';
import { type Recorded, replay } from '../../../src/temporal/replaying';
import { installSdkRuntime } from '../../../src/temporal/sdk-runtime';

export type { Recorded } from '../../../src/temporal/replaying';

const { History } = temporal.api.history.v1;

const FOLDER = join(__dirname, '..', 'histories');
/** Of the version that is being made; on release the folder gets its name. */
const UNRELEASED = 'unreleased';
const ENDING = '.json.gz';

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

/** The histories that are kept with the code: a folder for each version, a file for each path. */
export const keptRuns = (): (Recorded & { version: string })[] =>
  readdirSync(FOLDER).flatMap((version) =>
    readdirSync(join(FOLDER, version)).map((file) => ({
      version,
      workflowId: basename(file, ENDING),
      history: History.fromObject(JSON.parse(gunzipSync(readFileSync(join(FOLDER, version, file))).toString())),
    })),
  );

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

/** Keeps a run of this version. @throws Error when it still names the machine */
export function keepRun(name: string, { history }: Recorded): void {
  const plain = History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String });
  const json = JSON.stringify(portable(plain), undefined, 1);
  for (const trace of [`@${hostname()}`, process.cwd(), '/tmp/'])
    if (json.includes(trace)) throw new Error(`the history of ${name} names ${trace}`);
  const folder = join(FOLDER, UNRELEASED);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}${ENDING}`), gzipSync(json, { level: 9 }));
}

/** Which of the runs fail to replay with a bundle, and how. */
export async function failuresOf(
  workflowBundle: { codePath: string } | { code: string },
  recorded: readonly Recorded[],
): Promise<string[]> {
  installSdkRuntime(pino({ level: 'silent' }));
  const failures: string[] = [];
  let replayed = 0;
  for await (const { workflowId, failure } of replay(workflowBundle, recorded)) {
    replayed++;
    if (failure !== undefined) failures.push(`${workflowId}: ${failure}`);
  }
  if (replayed !== recorded.length) throw new Error(`${replayed} of ${recorded.length} were replayed`);
  return failures;
}
