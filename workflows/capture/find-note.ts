/** Finds the capture that a note became, by its text and time, each capture for one note only (S2). */
import { sleep } from '@temporalio/workflow';
import type { ListPlace } from '../../activities/list-pages';
import type { Claim, NotePage } from '../../activities/notes';
import { CLOCKS_APART_MS } from '../../src/policy/clocks';
import type { NoteIdentity } from '../../src/policy/note';
import { control, patiently, reads } from '../shared/calls';
import type { At } from './step';

/** Beyond so many pages nobody can tell. */
const MAX_PAGES = 100;

export class FindNote {
  /** The capture, once it is known. */
  captureId: string | undefined;
  /** This run had sent it, though nobody told it what became of that. */
  sent = false;
  #since: number | undefined;

  constructor(
    private readonly at: At,
    private readonly note: NoteIdentity,
  ) {}

  /** @returns the capture; undefined when none of those listed is the note's own */
  async look(): Promise<string | 'cannotTell' | undefined> {
    if (this.captureId !== undefined) return this.captureId;
    if (this.#since === undefined && !(await this.#begin())) return this.captureId;
    for (;;) {
      const captures = await this.#matches();
      if (captures === 'cannotTell') return 'cannotTell';
      const claim = captures.length > 0 ? await this.claim(captures) : { kind: 'none' as const };
      if (claim.kind !== 'wait') return this.captureId;
      this.at.status.waits(
        'A note of the same text is under way, and which capture is whose is not certain before it has ended.',
      );
      await sleep(Math.max(1_000, claim.until - Date.now()));
    }
  }

  /** Takes one of these captures, unless other notes have them. @param certain a person says so */
  async claim(captures: string[], certain = false): Promise<Claim> {
    const { account, facts, status } = this.at;
    const { note } = this;
    const claim = await patiently(status, facts, account, () =>
      control.claimCapture({ account, note, captures, certain }),
    );
    if (claim.kind === 'claimed') {
      this.captureId = claim.captureId;
      this.sent = claim.sent;
    }
    return claim;
  }

  /** Keeps which capture it is, for runs to come. */
  async keep(captureId: string): Promise<void> {
    this.captureId = captureId;
    const since = this.#since ?? Date.now();
    await control.noteRecord({ account: this.at.account, note: this.note, since, captureId });
  }

  /** Notes since when the note may be there. @returns whether an earlier run may have sent it */
  async #begin(): Promise<boolean> {
    const { serverTime = Date.now() - CLOCKS_APART_MS } = await this.#page({ offset: 0 });
    const { account } = this.at;
    const { since, captureId, isNew } = await control.noteRecord({ account, note: this.note, since: serverTime });
    this.#since = since;
    this.captureId = captureId;
    return !isNew && captureId === undefined;
  }

  async #matches(): Promise<string[] | 'cannotTell'> {
    const matches: string[] = [];
    let place: ListPlace | undefined = { offset: 0 };
    for (let pages = 0; place !== undefined; pages++) {
      if (pages === MAX_PAGES) return matches.length > 0 ? matches : 'cannotTell';
      const page: NotePage = await this.#page(place);
      matches.push(...page.matches);
      place = page.next;
    }
    return [...new Set(matches)];
  }

  #page(at: ListPlace): Promise<NotePage> {
    const { account, facts, status, place, input } = this.at;
    const since = this.#since;
    return patiently(status, facts, account, () =>
      reads(account, place, 'Look for the note').matchNote({
        ...{ account, note: this.note, projectId: input.projectId, place: at },
        ...(since !== undefined && { since }),
      }),
    );
  }
}
