/** What must hold of the ledger and of the books in the storage when all is over (S3, S6, S8). */
import { Entry } from '../../../src/books/entry';
import { hashAfter } from '../../../src/books/journal';
import { Standing } from '../../../src/books/standing';
import type { LedgerState } from '../../../src/ledger';
import type { Payment } from '../../../src/sandbox/payments';
import { rootOf } from '../engine/proto';
import { clientOf } from './answers';
import { Finding, MADE_UP } from './payments';
import type { People } from './people';
import type { Scene } from './scene';

export class LedgerRules {
  constructor(
    private readonly scene: Scene,
    private readonly people: People,
  ) {}

  /** It never ends by itself, and whatever has ended it there is another half an hour after the last run. */
  endings(): void {
    const { scene, people } = this;
    for (const run of scene.server.runs.get(scene.ledgerId) ?? []) {
      const isEnded = run.status === 'TERMINATED' && (run.isEndedByReset || people.endedLedgers.has(run));
      if (!run.isOpen && run.status !== 'CONTINUED_AS_NEW' && !isEnded)
        throw new Finding('S3', `the ledger ends as ${run.status}: ${rootOf(run.failure)}`);
    }
    if (!scene.server.current(scene.ledgerId)?.isOpen) throw new Finding('S3', 'there is no ledger');
  }

  /** Its sums are those of the service, and it holds nothing open. */
  async sums(books: Standing): Promise<void> {
    const { scene } = this;
    const ledger = scene.server.current(scene.ledgerId);
    const state = ledger && (await scene.ask<LedgerState>(ledger, 'state'));
    if (state === undefined) throw new Finding('S3', 'the ledger does not answer');
    const held = Object.keys(state.flights.open);
    const open = held.filter((subject) => !this.#isUntellable(subject));
    if (open.length > 0) throw new Finding('S6', `the ledger still holds ${open.join()}`);
    const booked = Object.values(state.days).reduce((sum, credits) => sum + credits, 0);
    // A project that nobody can tell, and that people gave up, is held until a person clears it.
    const given = held.flatMap((subject) => /^project:(R-\d+)$/.exec(subject)?.[1] ?? []).map(clientOf);
    const payments = scene.service.payments.all.filter(
      ({ subject }) => !given.some((client) => subject.startsWith(`project:${client}#`)),
    );
    const sumOf = (by: string) => payments.reduce((sum, paid) => sum + (paid.by === by ? paid.credits : 0), 0);
    const own = sumOf('agent');
    // A lead that a person converts while it is unknown what became of our call counts as ours.
    const known = new Set(state.bookings.map(({ subject }) => subject));
    const others = payments.reduce(
      (sum, { by, subject, credits }) => sum + (by === 'person' && known.has(subject) ? credits : 0),
      0,
    );
    for (const subject of known) mustBeOnce(subject, state.bookings, payments);
    const missing = payments.filter(({ subject, by }) => by === 'agent' && !known.has(subject));
    if ((booked < own && !this.people.administrators.areBothLost) || booked > own + others)
      throw new Finding(
        'S3',
        `the ledger has booked ${booked} credits, and ${own} were paid (by people ${others}); not booked: ${missing.map(({ subject }) => subject)}`,
      );
    // Without any they begin anew with what the ledger knows.
    const lacks = books.seq === 0 ? 0 : booked - books.spentIn('', 0);
    const told = Math.max(state.acceptedLack ?? 0, ...state.holds.map((hold) => hold.lacks ?? 0));
    if (lacks > told) throw new Finding('S8', `the books lack ${lacks} credits, and the ledger has told of ${told}`);
    const { happened } = this.scene.misfortunes;
    if (told > 0 && !happened.has('setBooksBack') && !happened.has('loseBoth'))
      throw new Finding('S7', `the account was on hold for ${told} credits that the books do not lack`);
    if (lacks > 0) this.scene.misfortunes.note('books that lack something');
    const atPrice = payments.reduce((sum, paid) => sum + (paid.by === 'agent' ? scene.priceOf(paid.subject) : 0), 0);
    this.#balance(Math.max(0, own - atPrice), sumOf('person'));
  }

  /** A project that nobody can tell is held until a person clears it, where its run has given it up or was not let go on. */
  #isUntellable(subject: string): boolean {
    const [, reference] = /^project:(.*)$/.exec(subject) ?? [];
    const { scene, people } = this;
    const { sandbox, pages } = scene.options;
    const areShown = !pages && !sandbox?.marks && (sandbox?.projectsListed ?? 'whole') === 'whole';
    const { gone } = people.administrators;
    return [...scene.server.runs.values(), [...gone]].flat().some((run) => {
      if (run.type !== 'auditProject') return false;
      const isGivenUp = (scene.resultOf(run) as { outcome?: string } | undefined)?.outcome === 'unresolved';
      // A document that was damaged for a while ends a run in the middle.
      const isEnded =
        run.status === 'FAILED' || [people.meddled, people.calledOff, gone].some((ended) => ended.has(run));
      const isLeft = !areShown && isEnded;
      return (scene.inputOf(run) as { reference?: string }).reference === reference && (isGivenUp || isLeft);
    });
  }

  /** S8: of a balance that the books do not explain people hear, and of none that they do. @param dearer that much more was paid */
  #balance(dearer: number, others: number): void {
    const { administrators, unexplained } = this.people;
    const { happened } = this.scene.misfortunes;
    if (unexplained < administrators.unexplained)
      throw new Finding(
        'S8',
        `${administrators.unexplained} credits were unexplained, and a hold told of ${unexplained}`,
      );
    const isSpent = ['noCredits', 'setBooksBack', 'beginBooks', 'loseBoth'].some((what) => happened.has(what));
    if (unexplained > dearer && !isSpent && others === 0)
      throw new Finding('S7', `a hold told of ${unexplained} credits that the books do not explain, and they do`);
  }

  /** S8: the books in the storage have what the service charged, whatever became of the ledger. */
  kept(): Standing {
    const { scene } = this;
    const { administrators } = this.people;
    const books = [...scene.storage.documents].filter(([ref]) => /^books\/.*\/entries\//.test(ref)).sort();
    const standing = new Standing('UTC');
    for (const [, document] of books) {
      const entry = Entry.parse(JSON.parse(document.toString()));
      if (entry.prev !== standing.hash) throw new Finding('S8', `entry ${entry.seq} does not follow the one before`);
      standing.apply(entry, hashAfter(entry, document.toString()));
    }
    const { all } = scene.service.payments;
    // Of what costs more than is configured not every reply says so.
    const least = ({ credits, subject }: Payment) => Math.min(credits, scene.priceOf(subject));
    const { isAttacked } = this.people;
    const ours = all.filter(({ by, subject }) => by === 'agent' && !(isAttacked && MADE_UP.test(subject)));
    const own = ours.reduce((sum, paid) => sum + least(paid), 0);
    const every = all.reduce((sum, { credits }) => sum + credits, 0);
    const open = standing.reserved(0);
    const booked = standing.spentIn('', 0) - open;
    const isLacking = booked + open < own && !administrators.areBooksLost && !administrators.isLedgerAlone;
    // Whoever reaches Temporal may tell the ledger of payments that never were: that is the safe side.
    if ((booked > every && !isAttacked) || isLacking)
      throw new Finding(
        'S8',
        `the books have ${booked} credits and ${open} that are open, and ${own} were paid (by people ${every - own})`,
      );
    return standing;
  }
}

/** No lead is booked at more than was paid for it. @throws Finding */
function mustBeOnce(subject: string, bookings: LedgerState['bookings'], payments: readonly Payment[]): void {
  if (!subject.startsWith('lead:')) return;
  const of = (all: readonly { subject: string; credits: number }[]) =>
    all.reduce((sum, one) => sum + (one.subject === subject ? one.credits : 0), 0);
  if (of(bookings) > of(payments))
    throw new Finding(
      'S3',
      `the ledger has booked ${of(bookings)} credits for ${subject}, and ${of(payments)} were paid`,
    );
}
