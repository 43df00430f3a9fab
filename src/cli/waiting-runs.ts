/** The runs that wait for a person: what each asks, where its page is, and the commands that answer. */
import { WAITS_FOR_PERSON } from '../runs/lists';
import { createLimit } from '../temporal/in-flight';
import { searchAttributeKeys } from '../temporal/search-attribute-keys';
import { styled } from './output';
import { questionOf } from './question';
import { type Followed, pageOf } from './server';

export interface WaitingRun {
  workflowId: string;
  type: string;
  stage?: string;
  since: string;
  link?: string;
  /** As the run puts it; absent where no worker answers. */
  question?: string;
  /** What may be typed to answer; absent as the question is. */
  commands?: string[];
}

const MOST_WAITING = 50;
/** A run that is not in a worker's memory is replayed to answer: of so many the question is asked for, the longest waiting first. */
const MOST_ASKED = 20;
const AT_ONCE = 4;
/** Where nobody answers, nobody waits longer. */
const ASKING_MS = 10_000;

/** Those begun first come first. */
export async function waitingRuns(reached: Followed): Promise<WaitingRun[]> {
  const { client } = reached;
  const waiting: (WaitingRun & { runId: string })[] = [];
  for await (const run of client.workflow.list({ query: WAITS_FOR_PERSON })) {
    if (waiting.length === MOST_WAITING) break;
    const { workflowId, runId, type, startTime, typedSearchAttributes } = run;
    const stage = typedSearchAttributes.get(searchAttributeKeys.stage);
    const link = pageOf(reached, workflowId, runId);
    const since = startTime.toISOString();
    waiting.push({ workflowId, runId, type, since, ...(stage && { stage }), ...(link && { link }) });
  }
  waiting.sort((a, b) => (a.since < b.since ? -1 : 1));
  const limit = createLimit(AT_ONCE);
  const askedUntil = performance.now() + ASKING_MS;
  return Promise.all(
    waiting.map(async ({ runId, ...run }, n) => {
      const found = await limit(async () => {
        if (n >= MOST_ASKED || performance.now() > askedUntil) return undefined;
        return questionOf(client, client.workflow.getHandle(run.workflowId, runId));
      });
      return { ...run, ...(found && { question: found.asked, commands: found.commands }) };
    }),
  );
}

/** For a person: a paragraph for each. */
export function describeWaiting(runs: readonly WaitingRun[]): string {
  if (runs.length === 0) return 'Nothing waits for a person.';
  const paragraphs = runs.map(({ workflowId, type, stage, since, link, question, commands = [] }) => {
    const about = [type, ...(stage ? [`at ${stage}`] : []), `begun ${since.slice(0, 19)} UTC`].join(', ');
    const lines = [
      ...(question?.split('\n').filter((line) => line !== '') ?? []),
      ...(link ? [link] : []),
      ...commands,
    ];
    return [`${workflowId} (${about})`, ...lines.map((line) => `  ${line}`)].join('\n');
  });
  return [styled('bold', 'Waiting for a person'), ...paragraphs].join('\n\n');
}
