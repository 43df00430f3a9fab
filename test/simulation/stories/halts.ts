/** Whom people have told to spend nothing more, and since when: nothing that costs is granted to them from then on (S3). */
import { Entry } from '../../../src/books/entry';
import { parseStored } from '../../../src/storage/stored-json';
import { utc } from '../../../src/time/utc';
import type { Run } from '../engine/run';
import type { Scene } from './scene';

/**
 * A worker asks whether its run still stands just before it asks the ledger: in between lies a slow network, and the
 * moment for which it waits for its turn.
 */
const ASKED_BEFORE_MS = 30_000;
/** What is stopped tells its children, and each of them learns of it by a task of its own, which may be lost, too. */
const TOLD_WITHIN_MS = 300_000;

type Sending = Extract<Entry, { kind: 'sending' }>;

/** As the books name a run: the same after it went on as new. */
export const keyOf = ({ workflowId, firstRunId }: Run): string => `${workflowId}/${firstRunId}`;

export class Halts {
  /** When the account was on hold. */
  #held: { from: number; to: number }[] = [];
  /** When a release was last asked for or taken. */
  #releasedAt = Number.NEGATIVE_INFINITY;
  /** By the key of a run what was done to it, and from when on nothing is granted to it. */
  readonly #ended = new Map<string, { what: string; from: number }>();

  constructor(private readonly scene: Scene) {}

  ends(run: Run, what: string): void {
    this.#note(run, what, ASKED_BEFORE_MS);
  }

  stops(run: Run): void {
    this.#note(run, 'stop', TOLD_WITHIN_MS);
  }

  #note(run: Run, what: string, afterMs: number): void {
    const key = keyOf(run);
    if (!this.#ended.has(key)) this.#ended.set(key, { what, from: this.scene.world.now + afterMs });
  }

  /** It was reset, and goes on. */
  resumes(run: Run): void {
    this.#ended.delete(keyOf(run));
  }

  /** Temporal knows nothing of it any more. */
  forget(): void {
    this.#ended.clear();
  }

  /** A hold is asked for. @returns to be called once it is taken: of a release meanwhile nobody knows whether it ended that */
  holds(): () => void {
    const { world } = this.scene;
    const askedAt = world.now;
    return () => {
      if (this.#releasedAt < askedAt) this.#held.push({ from: world.now, to: Number.POSITIVE_INFINITY });
    };
  }

  /** A release is asked for. @returns to be called once it is taken: of a hold that was taken meanwhile nobody knows whether it stands */
  releases(): () => void {
    const { world } = this.scene;
    const askedAt = world.now;
    this.#releasedAt = askedAt;
    this.#closeHold();
    return () => {
      this.#releasedAt = world.now;
      this.#held = this.#held.filter(({ from }) => from < askedAt);
      this.#closeHold();
    };
  }

  /** The ledger is lost, or goes back: what stands in the books lasts. */
  losesLedger(): void {
    const entries = this.scene.storage.books().map(([, document]) => parseStored(document.toString(), Entry));
    const said = entries.flatMap((entry) => (entry?.kind === 'said' && entry.said.hold ? entry.said.hold : []));
    if (!said.at(-1)?.value) this.#closeHold();
  }

  #closeHold(): void {
    for (const span of this.#held) span.to = Math.min(span.to, this.scene.world.now);
  }

  /** What is wrong with what was granted. */
  wrong({ subject, run, attempt, credits, grantedAt }: Sending): string | undefined {
    if (credits === 0) return undefined;
    const held = this.#held.find(({ from, to }) => from < grantedAt && grantedAt < to);
    if (held) return `${subject} was granted at ${utc(grantedAt)}, and the account was on hold since ${utc(held.from)}`;
    for (const key of this.#answersTo(run, attempt)) {
      const end = this.#ended.get(key);
      if (end && end.from < grantedAt)
        return `${subject} was granted to ${attempt} at ${utc(grantedAt)}, after the act '${end.what}' on ${key}`;
    }
    return undefined;
  }

  /** The run whose budget it is, the one that sends, and the one that began that out of the budget. */
  #answersTo(budget: string, attempt: string): string[] {
    const [, runId = ''] = /^.*#([^/]+)\//.exec(attempt) ?? [];
    const sender = [...this.scene.server.runs.values()].flat().find(({ runIds }) => runIds.includes(runId));
    if (!sender) return [budget];
    const own = keyOf(sender);
    const parent = sender.start.parent?.run;
    // An item that somebody starts again by hand, with its batch's budget, is to go on whatever became of the batch.
    return parent ? [budget, own, ...(budget !== own ? [keyOf(parent)] : [])] : [own];
  }
}
