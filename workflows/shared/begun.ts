/** The runs that a run has begun and that are under way: withdrawn when it is stopped or cancelled (S3). */
import { CancellationScope, condition, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import { linkToRun } from '../../src/text/links';
import { bullets, type Markdown, md } from '../../src/text/md';
import { counted, grouped } from '../../src/text/numbers';
import type { Status } from './status';
import { withdrawSignal } from './withdraw';

export class Begun {
  /** Their first runs, by workflow ID. */
  readonly #runs = new Map<string, string>();
  #withdrawing = false;

  get withdrawing(): boolean {
    return this.#withdrawing;
  }

  /** One more; the server has confirmed it. @param runId its first run */
  add(workflowId: string, runId: string): void {
    this.#runs.set(workflowId, runId);
    if (this.#withdrawing) void tell(workflowId, runId);
  }

  delete(workflowId: string): void {
    this.#runs.delete(workflowId);
  }

  /** Tells all of them, and whoever is confirmed after this. What each does is its own decision. */
  async withdraw(): Promise<void> {
    this.#withdrawing = true;
    await Promise.all([...this.#runs].map(([workflowId, runId]) => tell(workflowId, runId)));
  }
}

/** By its ID alone: one that was reset is another run. One that has ended meanwhile cannot be told, and need not be. */
const tell = (workflowId: string, runId: string) =>
  CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(workflowId).signal(withdrawSignal, { of: runId }),
  ).catch(() => undefined);

/** What is withdrawn ends at once, and a call in flight soon: that long a stop waits for all to end. */
const patienceMs = ({ timing }: AccountFacts): number => Math.min(30_000, Math.max(5_000, timing.settlingMs / 10));

/** Waits for runs that were withdrawn or are in a call, 5 s at most with `now`. @returns whether none is left */
export const untilEnded = (facts: AccountFacts, none: () => boolean, now = false): Promise<boolean> =>
  condition(none, now ? Math.min(5_000, patienceMs(facts)) : patienceMs(facts));

/** S7: a run that is stopped or cancelled says that it ends, and what it still waits for. */
export function sayWithdrawing(status: Status, how: 'Stopped' | 'Cancelled'): void {
  status.asksNobody();
  status.waits(`${how}: what has sent nothing is withdrawn, and the rest is given a little time to end.`);
}

/** Runs that are listed one by one. */
const MOST_LINKED = 10;

/** Runs as links of the Web UI, the first ten. @param count how many there are, where not all are given */
export function linked(heading: Markdown, workflowIds: Iterable<string>, count?: number): Markdown | undefined {
  const { namespace } = workflowInfo();
  const all = [...workflowIds];
  const links = all.slice(0, MOST_LINKED).map((id) => linkToRun(namespace, id));
  const more = (count ?? all.length) - links.length;
  return bullets(heading, more > 0 ? [...links, md`and ${grouped(more)} more`] : links);
}

/** S7: those under way, and those whose run is gone and cannot say any more why it waits. */
export function describeUnderWay(all: Iterable<{ workflowId: string; lost?: boolean }>): (Markdown | undefined)[] {
  const [live, lost]: [string[], string[]] = [[], []];
  for (const one of all) (one.lost ? lost : live).push(one.workflowId);
  return [
    linked(md`Under way; each says in its own details why it waits:`, live),
    linked(
      md`Under way, though the run was ended by hand or has failed: what became of its call, or of the conversion that it had begun, is found out first. What nobody can tell is left to a person:`,
      lost,
    ),
  ];
}

/** Runs that go on when the one that began them has ended. */
export interface GoesOn {
  /** Their workflow IDs, the longest under way first; not all of many. */
  runs: string[];
  count: number;
  /** The most that all of them together may still spend. Credits. */
  maySpend: number;
}

const MOST_NAMED = 100;

export const goesOn = (workflowIds: readonly string[], maySpend: number): GoesOn => ({
  runs: workflowIds.slice(0, MOST_NAMED),
  count: workflowIds.length,
  maySpend,
});

/** In words, for details. */
export const describeGoesOn = ({ runs, count, maySpend }: GoesOn): Markdown | undefined =>
  linked(
    md`${counted(count, 'run')} that it began had sent something and ${count === 1 ? 'goes' : 'go'} on until it is known what became of it. Together they may still spend ${grouped(maySpend)} credits:`,
    runs,
    count,
  );
