/** Finds the capture that a note became, by its text and time, each capture for one note only (S2). */
import { sleep } from '@temporalio/workflow';
import type { ListPlace } from '../../activities/list-pages';
import type { Claim, NoteCall, NotePage } from '../../activities/notes';
import { includesId, isSameId } from '../../src/agent-api/id';
import type { NoteIdentity } from '../../src/captures/note';
import { noteSubject } from '../../src/paying/subject';
import { CLOCKS_APART_MS } from '../../src/time/clocks';
import { utc } from '../../src/time/utc';
import { control, notShownUntil, reads, retryUntilAnswered } from '../shared/calls';
import type { Ingestion } from './ingestion';

/** Beyond so many pages nobody can tell. */
const MAX_PAGES = 100;
/** Captures that are asked one by one, where the list does not tell. */
const MAX_ASKED = 20;

export class FindNote {
  /** The capture, once it is known. */
  captureId: string | undefined;
  /** This run had sent it, though nobody told it what became of that. */
  sent = false;
  /** Captures that may be it, though what is shown of them does not say so. */
  candidates: readonly string[] = [];
  #since: number | undefined;
  /** It has left, in this run or in another one; and it was taken. */
  #left = false;
  #taken = false;
  /** The list may go on after what the last look has read. */
  #cut = false;
  /** What captures say of themselves when they are asked. */
  readonly #asked = new Map<string, 'ours' | 'others' | 'unreadable'>();

  constructor(
    private readonly at: Ingestion,
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
      if (claim.kind !== 'wait') return this.captureId ?? this.#doubt();
      this.at.status.waits(
        claim.newBooks
          ? `The account's ledger was lost, and its books are new: whose capture it is, is not certain before ${utc(claim.until)} UTC.`
          : 'A note with the same text is under way; until it has ended, it is not certain which capture belongs to which note.',
      );
      await sleep(Math.max(1_000, claim.until - Date.now()));
    }
  }

  /** It leaves now: from here on what cannot be recognised may be it. */
  leaves(): void {
    this.#left = true;
  }

  /** S2: "not found" is for those who could have recognised it; and what was taken is there. */
  #doubt(): 'cannotTell' | undefined {
    return this.#taken || (this.#left && this.#cut) || this.candidates.length > 0 ? 'cannotTell' : undefined;
  }

  /** Takes one of these captures, unless other notes have them. @param certain a person says so */
  async claim(captures: string[], certain = false): Promise<Claim> {
    const { account, facts, status } = this.at;
    const { note } = this;
    const claim = await retryUntilAnswered(status, facts, account, () =>
      control.claimCapture({ account, note, captures, certain }),
    );
    if (claim.kind === 'claimed') {
      this.captureId = claim.captureId;
      this.sent = claim.sent;
    }
    return claim;
  }

  /**
   * The service knows nothing of the capture that it named, or that was kept: its ID may be that of something else.
   * @returns another capture that is the note
   */
  async lookPast(notShown: string): Promise<string | undefined> {
    if (this.#since === undefined) await this.#begin();
    this.captureId = undefined;
    const seen = await this.look();
    if (seen === undefined || seen === 'cannotTell' || isSameId(seen, notShown)) return undefined;
    await this.keep(seen);
    return seen;
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
    const record = await control.noteRecord({ account, note: this.note, since: serverTime });
    const { since, captureId, isNew, sent, taken } = record;
    this.#left ||= sent === true;
    this.#taken = taken === true;
    this.#since = since;
    this.captureId = captureId;
    return !isNew && captureId === undefined;
  }

  async #matches(): Promise<string[] | 'cannotTell'> {
    const matches: string[] = [];
    const unreadable: string[] = [];
    this.#cut = false;
    let place: ListPlace | undefined = { offset: 0 };
    for (let pages = 0; place !== undefined; pages++) {
      if (pages === MAX_PAGES) return matches.length > 0 ? matches : 'cannotTell';
      const page: NotePage = await this.#page(place);
      matches.push(...page.matches);
      unreadable.push(...page.unreadable);
      this.#cut ||= page.cut === true;
      place = page.next;
    }
    if (this.#left) matches.push(...(await this.#ask(unreadable.filter((id) => !matches.includes(id)))));
    return [...new Set(matches)];
  }

  /** Asks captures themselves, where the list does not tell. @returns those that are it; the others that may be are kept */
  async #ask(ids: readonly string[]): Promise<string[]> {
    const { account } = this.at;
    const taken = ids.length === 0 ? [] : await control.claimedRefs({ account, but: noteSubject(this.note.id) });
    const free = [...new Set(ids)].filter((id) => !includesId(taken, id));
    for (const captureId of free.slice(0, MAX_ASKED))
      if (!this.#asked.has(captureId)) this.#asked.set(captureId, await this.#noteIn(captureId));
    // Those that were not asked, too.
    this.candidates = free.filter((id) => (this.#asked.get(id) ?? 'unreadable') === 'unreadable');
    return free.filter((id) => this.#asked.get(id) === 'ours');
  }

  #noteIn(captureId: string): Promise<'ours' | 'others' | 'unreadable'> {
    const { account, facts, status, place } = this.at;
    const since = this.#since ?? 0;
    const ask = () =>
      reads(account, place, `Look at capture ${captureId}`).noteIn({ ...this.#call(), captureId, since });
    return retryUntilAnswered(status, facts, account, ask, notShownUntil(facts));
  }

  #page(at: ListPlace): Promise<NotePage> {
    const { account, facts, status, place } = this.at;
    const since = this.#since;
    return retryUntilAnswered(status, facts, account, () =>
      reads(account, place, 'Look for the note').matchNote({
        ...{ ...this.#call(), place: at },
        ...(since !== undefined && { since }),
      }),
    );
  }

  #call(): NoteCall {
    const { account, input } = this.at;
    const { noteFile, projectId } = input;
    return { account, note: this.note, noteFile, projectId };
  }
}
