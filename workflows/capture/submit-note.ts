/** Submits a note once (S1, S2), or has a person do it where the token may not. */

import {
  CancellationScope,
  condition,
  defineUpdate,
  isCancellation,
  patched,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { CaptureSaid } from '../../src/inputs/person-messages';
import { noteSubject } from '../../src/paying/subject';
import { reasonInWords } from '../../src/runs/reason-words';
import { md } from '../../src/text/md';
import { formatDuration } from '../../src/time/duration';
import { utc, utcIn } from '../../src/time/utc';
import { elsewhere } from '../paying/elsewhere';
import { type Outcome, type Purchase, payOnce } from '../paying/pay-once';
import { ownAnswer, WHY } from '../shared/asker';
import { control, reads } from '../shared/calls';
import { refusalOf } from '../shared/failures';
import { checked } from '../shared/said';
import { Stop } from '../shared/stop';
import { FindNote } from './find-note';
import type { Ingestion } from './ingestion';

export const noteSubmittedUpdate = defineUpdate<string, [CaptureSaid]>('noteSubmitted');

/** What a service says of a body whose fields it does not know. */
const FORM_REFUSED = /^http4(00|15|22)$/;
/** Refusals that mean the route and not the note: agent-api.md leaves open whether tokens may use the route. */
const ROUTE_REFUSED = /^(PAT_ROUTE_NOT_ALLOWED|PAT_NOT_SUPPORTED_FOR_ENDPOINT|http405|http501)$/;

/** A note that was submitted. */
export interface Submitted {
  captureId: string;
  search: Pick<FindNote, 'lookPast'>;
}

/** @returns the capture that the note became, and how to look for another one */
export async function submitNote(at: Ingestion): Promise<Submitted> {
  const { account, facts, status, asker, input, run, soFar } = at;
  const { noteFile, projectId, reference } = input;
  const note = await control.identifyNote({ account, noteFile, projectId, reference });
  const search = new FindNote(at, note);
  const person = new Person(at, search);
  const subject = noteSubject(note.id);
  const submission: Purchase = {
    ...{ subject, price: 0, run: { key: run, maxCredits: 0 } },
    summary: 'Submit the note',
    step: ['submitting', 'Submitting the note'],
    async look() {
      // Its hour is over, or another run has sent it.
      status.figures();
      const seen = await search.look();
      return seen === 'cannotTell' ? seen : seen === undefined ? 'notFound' : 'found';
    },
    async send(calls, { lookedAt, again }) {
      search.leaves();
      const outcome = await calls.submitNoteOnce({ account, note, noteFile, projectId, lookedAt, again });
      const { max, windowMs } = facts.limits.notes;
      if (outcome.kind === 'throttled')
        status.figures(
          md`At most ${max} notes are sent in ${formatDuration(windowMs)}; this one is sent at ${utc(outcome.retryAt)} UTC.`,
        );
      return outcome;
    },
    async ask(why, doubt) {
      search.captureId ??= await elsewhere(at, subject);
      if (search.captureId !== undefined) return 'itHappened';
      const { candidates } = search;
      const which = candidates.length > 0 ? `, for example as ${candidates.slice(0, 5).join(' or ')}` : '';
      return asker.decide(`${WHY[why]}${doubt} Look in the web app whether the note is among the captures${which}.`, 0);
    },
  };
  return payOnce(at, submission, async (outcome) => {
    status.figures();
    soFar.submitted = (outcome.how === 'done' && outcome.sent) || search.sent;
    const captureId = await captureOf(at, outcome, search, person);
    await search.keep(captureId);
    return { captureId, search };
  });
}

async function captureOf(at: Ingestion, outcome: Outcome, search: FindNote, person: Person): Promise<string> {
  switch (outcome.how) {
    case 'done': {
      const { by, ref } = outcome;
      if (by === 'reply') return ref ?? awaitShown(at, search);
      return search.captureId ?? ref ?? person.names('A person said that the note was submitted');
    }
    case 'refused':
    case 'cannotLook': {
      const { reason } = outcome;
      if (ROUTE_REFUSED.test(reason)) return person.names('The token may not submit notes');
      if (reason === 'noteChanged')
        throw new Stop('refused', reason, 'The file of the note was changed or removed after the run began.');
      throw new Stop(
        'refused',
        reason,
        `The service refused the note: ${reasonInWords(reason, 'project')}.${FORM_REFUSED.test(reason) ? ' If its fields have other names here, set undocumented.note.content, undocumented.note.project or undocumented.note.title.' : ''}`,
      );
    }
    default:
      throw new Stop('unresolved', 'nobodyDecided', 'Whether the note was submitted could not be found out.');
  }
}

/** The reply named no capture: it shows in the list sooner or later. */
async function awaitShown(at: Ingestion, search: FindNote): Promise<string> {
  const { settlingMs } = at.facts.timing;
  for (let wait = settlingMs / 60; wait <= 2 * settlingMs; wait *= 3) {
    const captureId = await search.look();
    if (captureId !== undefined && captureId !== 'cannotTell') return captureId;
    at.status.waits(`The note is submitted, and not in the list yet; it is looked for again at ${utcIn(wait)}.`);
    await sleep(wait);
  }
  throw new Stop(
    'unresolved',
    'submittedButNotFound',
    "The note was submitted, but its capture cannot be found: if the reply names the capture, say where with the setting 'undocumented.note.id'.",
  );
}

/** A person enters the note and says which capture it is; or it is noticed without a word. */
class Person {
  #asking = false;

  constructor(
    private readonly at: Ingestion,
    private readonly search: FindNote,
  ) {
    setHandler(noteSubmittedUpdate, (said) => this.#heard(said), {
      description: 'Says which capture the note became: {"captureId": "…", "by": "…"}',
      validator: checked(CaptureSaid, 'noteSubmitted', () => {
        if (!this.#asking) throw new Error('This run does not ask for a capture at the moment.');
      }),
    });
  }

  async names(why: string): Promise<string> {
    const { at, search } = this;
    const where =
      at.input.noteFile === undefined ? "in this run's input" : `in the file ${at.input.noteFile} of the storage`;
    this.#asking = true;
    at.status.step('asking', 'A person submits the note');
    const noticing = new CancellationScope();
    const noticed = noticing
      .run(() => this.#notice())
      .catch((error) => {
        if (!isCancellation(error)) throw error;
      });
    const asks = `${why}. Enter the note, which stands ${where}, as a text note in the web app.`;
    const also = 'It goes on when the list of captures shows it, or when you say which capture it became.';
    const said = { captureId: 'ID of the capture' };
    const answers = [
      ownAnswer('noteSubmitted', 'It is entered', 'the run goes on with that capture, and no credits are spent', said),
    ];
    await at.asker.until({ asks, also, answers }, () => search.captureId !== undefined);
    this.#asking = false;
    // A look that waits for the service keeps nobody any more. Runs of before wait for it, and say so.
    if (patched('givesUpLook')) noticing.cancel();
    else at.status.waits('The run goes on when the service has answered its last look at the captures.');
    await noticed;
    at.status.goesOn();
    if (search.captureId === undefined)
      throw new Stop('expired', 'noteNotSubmitted', 'Nobody submitted the note in time.');
    return search.captureId;
  }

  /** Looks by itself, ever more seldom. */
  async #notice(): Promise<void> {
    const { holdProbeMs } = this.at.facts.timing;
    const isOver = () => !this.#asking || this.search.captureId !== undefined;
    for (let wait = holdProbeMs; !isOver(); wait = Math.min(2 * wait, 60 * holdProbeMs)) {
      await condition(isOver, wait);
      if (!isOver()) await this.search.look().catch(() => undefined);
    }
  }

  async #heard({ captureId, ...said }: CaptureSaid): Promise<string> {
    const { at, search } = this;
    const { account, place } = at;
    try {
      await reads(account, place, `Look at capture ${captureId}`).lookAtCapture({ account, captureId });
    } catch (error) {
      const reason = refusalOf(error);
      return `Capture ${captureId} cannot be read${reason ? `: ${reasonInWords(reason, 'capture')}` : ' at the moment'}. Give another ID, or try again.`;
    }
    const claim = await search.claim([captureId], true);
    if (claim.kind === 'wait')
      return `It is not certain before ${utc(claim.until)} UTC which note capture ${captureId} belongs to: give its ID again then.`;
    if (claim.kind !== 'claimed') return `Capture ${captureId} is another note's.`;
    at.asker.note(`capture ${captureId}`, said);
    return `Noted: the note is capture ${captureId}.`;
  }
}
