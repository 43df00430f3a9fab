/** Notes: submitted once each, and found again by their text, which stays in here (S4). */

import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { includesId } from '../src/agent-api/id';
import { couldBe, identifyNote, isBehind, mayBe, type NoteIdentity, sameText, textKey } from '../src/captures/note';
import type { SendOutcome } from '../src/paying/attempt-plan';
import { noteSubject } from '../src/paying/subject';
import { FailureType } from '../src/runs/failure-types';
import { StorageError } from '../src/storage';
import { callRoute, parked } from './call';
import { listCaptures } from './capture-list';
import { type Deps, ledgerFor, runtimeOf } from './deps';
import { notesIn, openRecord } from './kept-record';
import type { ListPlace } from './list-pages';
import { NoteRecord, noteText, problemsOfFile } from './note-text';
import { requeueAfter } from './requeue';
import { sendInForms } from './send-forms';
import { ownRun } from './send-once';

/** A note of a run: where its text is, and which it is. */
export interface NoteCall {
  account: string;
  note: NoteIdentity;
  /** Absent: the text stands in the run's own input. */
  noteFile?: string | undefined;
  projectId?: string | undefined;
}

/** What one page of the capture list says of a note. */
export interface NotePage {
  /** Captures that could be it, the likeliest first. */
  matches: string[];
  /** Captures that may be it, though their text does not say so. */
  unreadable: string[];
  next?: ListPlace;
  /** The list may go on, and its next page cannot be had. */
  cut?: true;
  /** The service's own clock, milliseconds. */
  serverTime?: number;
}

/** What became of the attempt to take a capture for a note's own. */
export type Claim =
  /** `sent`: as far as the ledger knows, by this very run. */
  | { kind: 'claimed'; captureId: string; sent: boolean }
  | { kind: 'none' }
  /** Another note of the same text is under way, and the capture may be that one's; or nobody knows, for the books are new. */
  | { kind: 'wait'; until: number; newBooks?: true };

const recordRef = (account: string, { id }: NoteIdentity) => `notes/${account}/${id}.json`;

export function createNotesActivities(deps: Deps) {
  /** The text of the note, if it is still that. */
  const textOf = async ({ note: { textKey: key }, ...file }: NoteCall): Promise<string | undefined> => {
    const text = await noteText(deps, file).catch((error: unknown) => {
      if (error instanceof StorageError && error.kind !== 'unusable') return undefined;
      throw error;
    });
    return textKey(text) === key ? text : undefined;
  };

  return {
    /** What is wrong with the file of a note, one sentence each. No call of the API. */
    checkNoteFile: (file: { account?: string; noteFile: string }): Promise<string[]> =>
      problemsOfFile(deps.storage, file),

    /** Which note it is. No call of the API. */
    async identifyNote(call: Omit<NoteCall, 'note'> & { reference?: string | undefined }): Promise<NoteIdentity> {
      const { account, projectId, reference } = call;
      return identifyNote(account, projectId, await noteText(deps, call), reference);
    },

    /** What is kept of a note beyond its runs. No call of the API. */
    noteRecord: ({ account, note, ...known }: Pick<NoteCall, 'account' | 'note'> & NoteRecord) =>
      openRecord(deps.storage, recordRef(account, note), NoteRecord, known),

    /**
     * GET one page of the capture list, and of it only what could be the note (S2).
     * @param call.since the service's own clock before the note could have been sent; without it only the time is asked
     */
    async matchNote(call: NoteCall & { since?: number; place: ListPlace }): Promise<NotePage> {
      const { since, projectId, note } = call;
      const runtime = runtimeOf(deps, call.account);
      const limit = since === undefined ? 1 : undefined;
      const list = await listCaptures(runtime, { channel: 'text_note' }, call.place, limit);
      const { items, next, cut, serverTime } = list;
      const time = serverTime !== undefined && { serverTime };
      if (since === undefined) return { matches: [], unreadable: [], ...time };
      const byKey = couldBe(items, note, projectId, since);
      // The text itself is read where there is something to compare it with.
      const isDoubtful = mayBe(items, undefined, projectId, since).length > byKey.length;
      const text = isDoubtful ? await textOf(call) : undefined;
      const matches = isDoubtful ? couldBe(items, note, projectId, since, text) : byKey;
      const rest = items.filter(({ id }) => !matches.includes(id));
      const unreadable = isDoubtful ? mayBe(rest, text, projectId, since) : [];
      const more = next !== undefined && !isBehind(items, since);
      return { matches, unreadable, ...(more && { next }), ...(cut && { cut: true }), ...time };
    },

    /** GET one capture, of which the list does not tell whether it is the note (S2). */
    async noteIn(call: NoteCall & { captureId: string; since: number }): Promise<'ours' | 'others' | 'unreadable'> {
      const { account, captureId, note, projectId, since } = call;
      const { value } = await callRoute(runtimeOf(deps, account), 'captures.get', { id: captureId });
      const page = [value.capture];
      const text = await textOf(call);
      if (couldBe(page, note, projectId, since, text).length > 0) return 'ours';
      return mayBe(page, text, projectId, since).length > 0 ? 'unreadable' : 'others';
    },

    /**
     * Takes one of the captures for the note's own, so that no other note does (S2). Asks only the ledger.
     * @param call.certain a person says that it is this one
     */
    async claimCapture(call: {
      account: string;
      note: NoteIdentity;
      captures: string[];
      certain?: boolean;
    }): Promise<Claim> {
      const { account, note } = call;
      const subject = noteSubject(note.id);
      const ledger = await ledgerFor(runtimeOf(deps, account));
      // The open notes before the claims: one that settles in between counts twice, which is the safe side.
      const open = await ledger.open();
      const rivals = open.filter(
        ({ subject: other, overAt }) =>
          other !== subject && other.startsWith(noteSubject(sameText(note))) && overAt > ledger.now(),
      );
      const taken = await ledger.claims(subject);
      const free = call.captures.filter((id) => !includesId(taken, id));
      if (free.length === 0) return { kind: 'none' };
      if (!call.certain && free.length <= rivals.length)
        return { kind: 'wait', until: Math.max(...rivals.map(({ overAt }) => overAt)) + 1 };
      for (const captureId of free) {
        const attempt = `${subject}>${randomUUID()}`;
        // The ledger grants a subject once: two processes that found the same capture do not both get it.
        const answer = await ledger.beginSend({
          ...{ ...ownRun(), subject: `claim:${captureId}`, attempt, credits: 0, lookedAt: ledger.now() },
        });
        if (answer.kind === 'patient') return { kind: 'wait', until: answer.until, newBooks: true };
        if (answer.kind === 'held') throw ApplicationFailure.nonRetryable('account on hold', FailureType.held);
        if (answer.kind === 'parked') throw parked('writes', answer.until - ledger.now());
        const mine = answer.kind === 'open' && answer.attempt.startsWith(`${subject}>`);
        if (answer.kind === 'open' && !mine) continue;
        if (answer.kind !== 'granted' && !mine) throw requeueAfter('the ledger grants nothing yet', 3_000);
        await ledger.settle({ ...ownRun(), subject, attempt: '', settlement: { kind: 'foundPaid', ref: captureId } });
        const { settled } = await ledger.subject(subject);
        if (settled?.ref === captureId) return { kind: 'claimed', captureId, sent: settled.run === ownRun().run };
        // The ledger knew nothing of it: it learns of it here.
        await ledger.settle({
          ...ownRun(),
          subject,
          attempt,
          settlement: { kind: 'paid', credits: 0, ref: captureId },
        });
        return { kind: 'claimed', captureId, sent: false };
      }
      return { kind: 'none' };
    },

    /** POST a note: one attempt, with a permit of the hourly limit, under S1 and S2. */
    async submitNoteOnce(call: NoteCall & { lookedAt: number; again?: boolean }): Promise<SendOutcome> {
      const { account, note, projectId, lookedAt, again } = call;
      const runtime = runtimeOf(deps, account);
      const text = await textOf(call).catch(() => null);
      // S7: the run says so, and waits longer each time; a look does not always need the text.
      if (text === null) return { kind: 'notSent', reason: 'aborted' };
      // The file was changed since: what would be sent is not what was looked up.
      if (text === undefined) return { kind: 'refused', reason: 'noteChanged' };
      const { content, project, title } = runtime.account.undocumented.note;
      const body = { [content]: text, ...(projectId !== undefined && { [project]: projectId }) };
      return sendInForms<'captures.submitNote'>(
        runtime,
        {
          ...ownRun(),
          ...{ lookedAt, again, route: 'captures.submitNote', subject: noteSubject(note.id) },
          record: notesIn(deps.storage, recordRef(account, note), NoteRecord, { since: Date.now() }, (captureId) => ({
            captureId,
          })),
          read: ({ captureId }) => (captureId ? { ref: captureId } : {}),
        },
        [() => ({ body }), ...(title === null ? [] : [() => ({ body: { ...body, [title]: titleOf(text) } })])],
      );
    },
  };
}

/** For services that take no note without a title: the beginning of its first line. */
const titleOf = (text: string): string => (text.trim().split(/\r?\n/)[0] ?? '').slice(0, 80);
