/** What must hold at each payment: nobody pays twice (S1), nothing unwritten is paid (S8), and no ceiling is exceeded (S3). */
import { Entry } from '../../../src/books/entry';
import type { OpenSend } from '../../../src/paying/open-sends';
import type { Payment } from '../../../src/sandbox/payments';
import { parseStored } from '../../../src/storage/stored-json';
import { clientOf } from './answers';
import type { People } from './people';
import type { Scene } from './scene';

/** Something that must not be. */
export class Finding extends Error {
  override readonly name = 'Finding';
  constructor(
    readonly rule: string,
    what: string,
  ) {
    super(`${rule}: ${what}`);
  }
}

/** A request that costs, as the books have it. */
interface Sent {
  run: string;
  /** When the first request for its subject was granted, milliseconds. */
  firstAt: number;
  /** And the last. */
  lastAt: number;
  credits: number;
  /** The most that its run may spend; null where the books do not say. */
  runCap: number | null;
  /** A reply had said that such calls cost more than is configured. */
  isDear: boolean;
  /** What it came to, and whether that was known then. */
  became?: { isDear: boolean; credits: number };
}

/** What a run may do, by what it was started with. */
interface Input {
  maxCredits?: number;
  maxConversions?: number;
  approval?: string;
}

/** Projects that only who means harm begins. */
export const MADE_UP = /^project:Client X#/;

/** The service and the books name a project otherwise. */
const keyOf = (subject: string): string =>
  subject.startsWith('project:') ? `project:${clientOf(subject.slice('project:'.length)).split('#')[0]}` : subject;

export class PaymentRules {
  #seen = 0;
  /** Requests that cost and may still have their effect, by what they pay for. */
  readonly #inFlight = new Map<string, number>();
  #together: string | undefined;

  constructor(
    private readonly scene: Scene,
    private readonly people: People,
  ) {
    const { payments } = scene.service;
    const begin = payments.begin.bind(payments);
    payments.begin = (subject) => {
      const end = begin(subject);
      if (subject === undefined) return end;
      const key = keyOf(subject);
      const change = (by: number) => this.#inFlight.set(key, (this.#inFlight.get(key) ?? 0) + by);
      change(1);
      if ((this.#inFlight.get(key) ?? 0) > 1) this.#together ??= key;
      return () => {
        change(-1);
        end();
      };
    };
  }

  /** @throws Finding */
  look(): void {
    const { service, world } = this.scene;
    const { all } = service.payments;
    const fresh = all.slice(this.#seen);
    this.#seen = all.length;
    for (const { subject, by } of fresh) world.tell(`paid for ${subject} by ${by}`);
    if (this.#together) throw new Finding('S1', `two requests that pay for ${this.#together} are in flight together`);
    const own = all.filter(({ by }) => by === 'agent');
    // Whose references are made up, people cannot tell in the web app which project is which.
    const isTold = ({ subject }: Payment) => !(this.people.isAttacked && MADE_UP.test(subject));
    const subjects = own.filter(isTold).map(({ subject }) => keyOf(subject));
    // What a person pays for in the web app while a call is in flight nobody can prevent.
    const twice = subjects.find((subject, n) => subjects.indexOf(subject) !== n);
    if (twice) throw new Finding('S1', `${twice} was paid for twice`);
    for (const paid of fresh) if (paid.by === 'agent') this.#mustBeAllowed(paid, own);
    if (fresh.length > 0) this.nobodyHalted();
  }

  /** S3: also where the ledger was deleted and takes its sums with it: the books in the storage do not (S8). */
  #mustBeAllowed(paid: Payment, own: readonly Payment[]): void {
    const { budget, misfortunes, service } = this.scene;
    const sent = this.#books();
    const request = sent.get(keyOf(paid.subject));
    if (!request && paid.subject.startsWith('lead:') && this.#areBooksWhole)
      throw new Finding('S8', `${paid.subject} was paid for, and the books do not say that it was sent`);
    const { isDear = false, run, runCap = null } = request ?? {};
    const runOf = ({ subject }: Payment) => sent.get(keyOf(subject))?.run;
    /** What nobody could know when this one was sent: that calls cost more than is configured, before a reply had said so. */
    const unknown = (other: Payment) => {
      const became = sent.get(keyOf(other.subject))?.became;
      if (!isDear) return other.credits - this.scene.priceOf(other.subject);
      return became && !became.isDear ? Math.max(0, other.credits - became.credits) : 0;
    };
    const momentOf = (other: Payment) => this.scene.momentOf(other);
    const day = momentOf(paid).slice(0, '2026-01-05'.length);
    const month = momentOf(paid).slice(0, '2026-01'.length);
    const ofRun = (other: Payment) => run !== undefined && runOf(other) === run;
    const input = this.#inputOf(run);
    const ceilings: [what: string, most: number | null, counts: (other: Payment) => boolean][] = [
      [`on ${day}`, budget.perDay, (other) => momentOf(other).startsWith(day)],
      [`in ${month}`, budget.perMonth, (other) => momentOf(other).startsWith(month)],
      [`by ${run}`, budget.perRun, ofRun],
    ];
    // Whoever means harm gives one budget several caps.
    if (!this.people.isAttacked)
      ceilings.push(
        [`by ${run}, as its send says`, runCap, ofRun],
        [`by ${run}, as its input says`, input?.maxCredits ?? null, ofRun],
      );
    for (const [what, most, counts] of ceilings) {
      const spent = own.filter(counts).reduce((sum, other) => sum + other.credits - unknown(other), 0);
      if (most !== null && spent > most) throw new Finding('S3', `${spent} credits were spent ${what}, of ${most}`);
    }
    if (!this.people.isAttacked && run !== undefined && input) {
      const conversions = own.filter((other) => ofRun(other) && other.subject.startsWith('lead:')).length;
      if (conversions > (input.maxConversions ?? Number.POSITIVE_INFINITY))
        throw new Finding('S3', `${conversions} leads were converted by ${run}, of ${input.maxConversions}`);
      if (input.approval === 'all' && !this.people.approved.has(run))
        throw new Finding('S3', `${paid.subject} was paid for by ${run}, which nobody has approved`);
    }
    const { credits } = service.owner;
    const left = own.reduce((sum, other) => sum + unknown(other), credits);
    const isDisturbed = own.length < service.payments.all.length || misfortunes.happened.has('noCredits');
    if (!isDisturbed && left < budget.balanceFloor)
      throw new Finding('S3', `${credits} credits are left, of which ${budget.balanceFloor} must remain`);
  }

  /** What the run of this key was started with. */
  #inputOf(key = ''): Input | undefined {
    const runs = this.scene.server.runs.get(key.slice(0, key.lastIndexOf('/')));
    const run = runs?.find(({ firstRunId }) => key.endsWith(`/${firstRunId}`));
    return run && (this.scene.inputOf(run) as Input | undefined);
  }

  /** S3: nobody was granted anything who was to spend nothing more. @throws Finding */
  nobodyHalted(): void {
    if (this.people.isAttacked) return;
    for (const entry of this.#entries()) {
      const wrong = entry.kind === 'sending' ? this.people.halts.wrong(entry) : undefined;
      if (wrong) throw new Finding('S3', wrong);
    }
  }

  /**
   * What the service has charged for what a run had sent, by the books. The most counts what a person paid for, too: while it
   * is unknown what became of a call, what a look finds is taken for its own, also where only the ledger knew of that call.
   */
  chargedFor(run: string, isMeant = (_subject: string) => true): { least: number; most: number } {
    const [sent, found] = [this.#books(), this.#found()];
    const runOf = (subject: string) => sent.get(subject)?.run ?? found.get(subject);
    const isIts = (subject: string) => runOf(keyOf(subject)) === run && isMeant(subject);
    const paid = this.scene.service.payments.all.filter(({ subject }) => isIts(subject));
    const sumOf = (payments: readonly Payment[]) => payments.reduce((sum, { credits }) => sum + credits, 0);
    return { least: sumOf(paid.filter(({ by }) => by === 'agent')), most: sumOf(paid) };
  }

  /** For each subject that a look has found paid for, for which run the books count it. */
  #found(): Map<string, string> {
    const found = new Map<string, string>();
    for (const entry of this.#entries()) {
      if (entry.kind !== 'became' || entry.settlement.kind !== 'foundPaid' || !entry.settlement.credits) continue;
      const subject = keyOf(entry.subject);
      if (!found.has(subject)) found.set(subject, entry.run);
    }
    return found;
  }

  /** For each subject which run has sent, and when the last request was granted, by the books. */
  sent(): ReadonlyMap<string, Pick<Sent, 'run' | 'lastAt'>> {
    return this.#books();
  }

  /** Whether anything was sent by then for a subject, or for a run; where the books do not tell, it may have been. */
  isSentBefore(at: number, wanted: { subject: string } | { run: string }): boolean {
    if (!Number.isFinite(at) || !this.#areBooksWhole) return Number.isFinite(at);
    const sent = [...this.#books()].filter(([subject, { run }]) =>
      'run' in wanted ? run === wanted.run : subject === wanted.subject,
    );
    return sent.some(([, { firstAt }]) => firstAt <= at);
  }

  get #areBooksWhole(): boolean {
    const { misfortunes, storage } = this.scene;
    const notWhole = ['beginBooks', 'setBooksBack', 'damageDocument', 'loseBoth'];
    return storage.areBooksKept && !notWhole.some((what) => misfortunes.happened.has(what));
  }

  /** What they say was sent. */
  #books(): Map<string, Sent> {
    const sent = new Map<string, Sent>();
    let isDear = false;
    const begin = (
      subject: string,
      { run, credits, grantedAt }: Pick<OpenSend, 'run' | 'credits' | 'grantedAt'>,
      runCap: number | null,
    ) => {
      const { firstAt = grantedAt } = sent.get(keyOf(subject)) ?? {};
      sent.set(keyOf(subject), { run, credits, runCap, isDear, firstAt, lastAt: grantedAt });
    };
    for (const entry of this.#entries()) {
      if (entry.kind === 'begun') for (const [subject, open] of Object.entries(entry.open)) begin(subject, open, null);
      if (entry.kind === 'sending') begin(entry.subject, entry, entry.runCap);
      // A person who releases the account has it forget what calls cost.
      if (entry.kind === 'act' && entry.update === 'release') isDear = false;
      if (entry.kind !== 'became') continue;
      const { subject, settlement } = entry;
      const request = sent.get(keyOf(subject));
      if (!request || (settlement.kind !== 'paid' && settlement.kind !== 'foundPaid')) continue;
      const { credits = request.credits } = settlement;
      if (settlement.kind === 'paid' && credits > this.scene.priceOf(subject)) isDear = true;
      request.became = { isDear, credits };
    }
    return sent;
  }

  #entries(): Entry[] {
    return [...this.scene.storage.books()].flatMap(([ref, document]) =>
      ref.includes('/entries/') ? (parseStored(document.toString(), Entry) ?? []) : [],
    );
  }
}
