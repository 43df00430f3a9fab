/** What must hold: at each moment, and when all is over (docs/architecture.md, S1–S8). */

import { Entry } from '../../../src/books/entry';
import { BOOKS, hashAfter } from '../../../src/books/journal';
import { Standing } from '../../../src/books/standing';
import { verify } from '../../../src/books/verifying';
import type { LedgerState } from '../../../src/ledger';
import type { Payment } from '../../../src/sandbox/payments';
import { StorageError } from '../../../src/storage';
import type { Failure } from '../engine/proto';
import type { Run } from '../engine/run';
import { OLD_BUILD } from '../worker/host';
import { RETRIES } from './coverage';
import { Midnight } from './midnight';
import { Pauses } from './pauses';
import { Finding, PaymentRules } from './payments';
import { clientOf, isBatch, type People } from './people';
import type { Scene } from './scene';
import { mustKeepWindows } from './windows';

const MINUTE = 60_000;
const STILL_MS = 2 * MINUTE;
const ASKED_AGAIN_MS = 15 * MINUTE;

export class Oracle {
  readonly #payments: PaymentRules;
  readonly #pauses: Pauses;
  readonly #midnight: Midnight;
  #found: Finding | undefined;
  /** When each open run that stands still was seen to have moved last, and when it is asked for the reason. */
  readonly #moved = new Map<Run, { events: number; at: number; askAt: number }>();
  #lookedAt = 0;
  /** Damaged documents. */
  readonly #looked = new Set<string>();

  constructor(
    private readonly scene: Scene,
    private readonly people: People,
  ) {
    this.#payments = new PaymentRules(scene, people);
    this.#pauses = new Pauses(scene);
    this.#midnight = new Midnight(scene);
    scene.server.onTaskFailure = (run, cause, why) => {
      if (cause !== 'UNHANDLED_COMMAND' && !why.startsWith(OLD_BUILD))
        this.#found ??= new Finding('determinism', `a task of ${run.workflowId} fails: ${why}`);
    };
  }

  /** After each step. @throws Finding */
  async look(): Promise<void> {
    if (this.#found) throw this.#found;
    const { world } = this.scene;
    this.#payments.look();
    this.#pauses.look();
    await this.#midnight.look();
    for (const ref of this.people.administrators.damaged.keys())
      if (!this.#looked.has(ref)) await this.#mustBeFound(ref);
    if (world.now - this.#lookedAt >= MINUTE) {
      this.#lookedAt = world.now;
      await this.#looksAlive();
    }
  }

  /** S8: what of the books was damaged is found, and named. */
  async #mustBeFound(ref: string): Promise<void> {
    this.#looked.add(ref);
    const [, user, kind = '', file = ''] = ref.split('/');
    if (!ref.startsWith(BOOKS) || !user || !['entries', 'segments'].includes(kind)) return;
    const { storage } = this.scene.storage;
    // Time stands still while it looks.
    const said = await verify(storage, user, new Standing('UTC'), 0).catch((error: Error) => error);
    const isNamed =
      said instanceof StorageError
        ? [...this.people.administrators.damaged.keys()].some((one) => said.message.includes(one))
        : !(said instanceof Error) && said.untrue.includes(Number(/\d+/.exec(file)));
    if (!isNamed)
      throw new Finding('S8', `${ref} was damaged, and whoever verifies the books hears: ${JSON.stringify(said)}`);
  }

  /** S7: whoever stands still says why. A task that is lost shows by its timeouts first. */
  async #looksAlive(): Promise<void> {
    const { server, world } = this.scene;
    for (const run of server.open()) {
      const known = this.#moved.get(run);
      if (!known || known.events !== run.history.length) {
        this.#moved.set(run, { events: run.history.length, at: world.now, askAt: world.now + STILL_MS });
        continue;
      }
      // What a worker was at when it died is missed only when its heartbeats are.
      const askAt = Math.max(known.askAt, this.scene.lostAt + STILL_MS);
      if (world.now < askAt || run.type === 'accountLedger' || run.tasks.current) continue;
      known.askAt = world.now + ASKED_AGAIN_MS;
      const details = await this.scene.detailsOf(run);
      if (details !== undefined && !/Waiting since|Under way|Cancelled at|says how far it is/.test(details))
        throw new Finding('S7', `${run.workflowId} stands still since ${world.now - known.at} ms and says: ${details}`);
    }
  }

  /** Liveness: nothing has gone wrong for so long, and yet some have not ended. */
  async unended(runs: readonly Run[], forMs: number): Promise<Finding> {
    const [run] = runs;
    const details = run && (await this.scene.detailsOf(run));
    return new Finding(
      'liveness',
      `${runs.length} runs have not ended ${Math.round(forMs / 3_600_000)} hours after the last misfortune: ${run?.workflowId} (${run?.tasks.trouble ?? ''}) says: ${details}`,
    );
  }

  /** When all has ended, and the ledger has had the time to find out the rest. */
  async atEnd(): Promise<void> {
    const books = this.#kept();
    if (!this.people.isAttacked) await this.#books(books);
    this.#payments.nobodyHalted();
    this.#once();
    mustKeepWindows(this.scene);
    this.#endings();
    if (!this.people.isAttacked) {
      this.#results();
      this.#batches(books);
    }
  }

  /** S2: nothing was written twice. */
  #once(): void {
    const { notesDoubled, documentsDoubled } = this.scene.control.stats();
    for (const { rawContent, times } of notesDoubled)
      throw new Finding('S2', `the note '${rawContent}' was submitted ${times} times`);
    for (const { fileName, projectId, times } of documentsDoubled)
      throw new Finding('S2', `${fileName} was uploaded ${times} times to project ${projectId}`);
  }

  /** S6: what nobody has meddled with ends by itself, and says how. */
  #endings(): void {
    for (const run of [...this.scene.server.runs.values()].flat()) {
      if (run.type === 'accountLedger' || this.people.meddled.has(run)) continue;
      const why = rootOf(run.failure);
      // A record of its own that cannot be read it names, and asks for.
      if ([...this.people.administrators.damaged.keys()].some((ref) => !ref.startsWith(BOOKS) && why.includes(ref)))
        continue;
      if (run.status === 'FAILED' || run.status === 'TERMINATED')
        throw new Finding('S6', `${run.workflowId} ends as ${run.status}: ${why}`);
    }
  }

  /** The ledger's sums are those of the service. */
  async #books(books: Standing): Promise<void> {
    const { scene } = this;
    const ledger = scene.server.current(scene.ledgerId);
    if (!ledger?.isOpen) return;
    const state = await scene.ask<LedgerState>(ledger, 'state');
    if (state === undefined) throw new Finding('S3', 'the ledger does not answer');
    const held = Object.keys(state.flights.open);
    const leads = held.filter((subject) => subject.startsWith('lead:'));
    if (leads.length > 0) throw new Finding('S6', `the ledger still holds ${leads.join()}`);
    const booked = Object.values(state.days).reduce((sum, credits) => sum + credits, 0);
    // A project that nobody can tell, and that people gave up, is held until a person clears it.
    const given = held.flatMap((subject) => /^project:(R-\d+)$/.exec(subject)?.[1] ?? []).map(clientOf);
    const payments = scene.service.payments.all.filter(
      ({ subject }) => !given.some((client) => subject.startsWith(`project:${client}#`)),
    );
    const sumOf = (by: string) => payments.reduce((sum, paid) => sum + (paid.by === by ? paid.credits : 0), 0);
    const [own, others] = [sumOf('agent'), sumOf('person')];
    // A lead that a person converts while it is unknown what became of our call counts as ours.
    const known = new Set(state.bookings.map(({ subject }) => subject));
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
    this.#balance(Math.max(0, own - atPrice), others);
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
  #kept(): Standing {
    const { scene } = this;
    const { administrators } = this.people;
    const books = [...scene.storage.documents].filter(([ref]) => /^books\/.*\/entries\//.test(ref)).sort();
    const standing = new Standing('UTC');
    // They begin with what the ledger knows, and that believes the messages of whoever reaches Temporal.
    let untrue = 0;
    for (const [, document] of books) {
      const entry = Entry.parse(JSON.parse(document.toString()));
      if (this.people.isAttacked && entry.kind === 'begun')
        untrue = Object.values(entry.days).reduce((sum, credits) => sum + credits, 0);
      if (entry.prev !== standing.hash) throw new Finding('S8', `entry ${entry.seq} does not follow the one before`);
      standing.apply(entry, hashAfter(entry, document.toString()));
    }
    const { all } = scene.service.payments;
    // Of what costs more than is configured not every reply says so.
    const least = ({ credits, subject }: Payment) => Math.min(credits, scene.priceOf(subject));
    const own = all.filter(({ by }) => by === 'agent').reduce((sum, paid) => sum + least(paid), 0);
    const every = all.reduce((sum, { credits }) => sum + credits, 0);
    const open = standing.reserved(0);
    const booked = standing.spentIn('', 0) - open;
    const isLacking = booked + open < own && !administrators.areBooksLost && !administrators.isLedgerAlone;
    if (booked - untrue > every || isLacking)
      throw new Finding(
        'S8',
        `the books have ${booked} credits and ${open} that are open, and ${own} were paid (by people ${every - own})`,
      );
    return standing;
  }

  /** S6: what pipelines and batches say that they have spent the service has charged for them, where nobody has meddled with their runs. */
  #batches({ runs }: Standing): void {
    const { scene, people } = this;
    if (people.isLedgerLost || people.administrators.areBooksLost) return;
    const every = [...scene.server.runs.values()].flat();
    const replaced = replacedOf(every);
    const known = new Set(every.map(({ workflowId, firstRunId }) => `${workflowId}/${firstRunId}`));
    const isOdd = (run: Run) => people.meddled.has(run) || replaced.has(run) || scene.isBeforeRollout(run);
    for (const run of every.filter(isBatch)) {
      const { credits } = (scene.resultOf(run) ?? {}) as { credits?: number };
      const key = `${run.workflowId}/${run.firstRunId}`;
      const spent = runs.get(key) ?? 0;
      const { least, most } = this.#payments.chargedFor(key);
      // A server that was set back has forgotten the run that paid; the one that was begun instead finds what it paid for.
      const isForgotten = [...runs.keys()].some(
        (one) => one !== key && one.startsWith(`${run.workflowId}/`) && !known.has(one),
      );
      const isBelow = ({ start: { parent } }: Run): boolean =>
        parent !== undefined && (parent.run.workflowId === run.workflowId || isBelow(parent.run));
      const below = every.filter(isBelow);
      const inVain = below.filter((one) => {
        const { outcome, credits: paid = 0 } = (scene.resultOf(one) ?? {}) as { outcome?: string; credits?: number };
        const isTriedAgain = below.some(
          ({ workflowId, startedAt }) => workflowId === one.workflowId && startedAt > one.startedAt,
        );
        return one.type === 'auditProject' && /^(failed|refused)$/.test(outcome ?? '') && paid > 0 && isTriedAgain;
      });
      for (const _ of inVain) scene.misfortunes.note(RETRIES[1]);
      // Where a person has given up looking, nobody knows whether it was paid for, and its result says so.
      const isKnown = below.every((one) => (scene.resultOf(one) as { outcome?: string })?.outcome !== 'unresolved');
      const isUntrue = credits !== spent || (isKnown && (spent < least || spent > most));
      if (credits !== undefined && isUntrue && !isForgotten && ![run, ...below].some(isOdd))
        throw new Finding(
          'S6',
          `${run.workflowId} says that it has spent ${credits} credits, the books say ${spent}, and the service ${least}`,
        );
    }
  }

  /** S6: what was paid for is in the results, once, and never reported otherwise. */
  #results(): void {
    const { scene, people } = this;
    const paid = new Map(scene.service.payments.all.map(({ subject, by }) => [subject, by]));
    const every = [...scene.server.runs.values()].flat();
    const replaced = replacedOf(every);
    const runs = every.filter(({ type }) => type === 'convertLead');
    const leadOf = (run: Run) => (scene.inputOf(run) as { leadId: string }).leadId;
    const gone = new Set(
      [...people.administrators.gone].flatMap((run) => (run.type === 'convertLead' ? leadOf(run) : [])),
    );
    for (const leadId of new Set(runs.map(leadOf))) {
      const all = runs.filter((run) => leadOf(run) === leadId);
      const by = paid.get(`lead:${leadId}`);
      const results = all.map(
        (run) => scene.resultOf(run) as { outcome: string; credits: number; paidBefore?: true } | undefined,
      );
      const byId = new Map<string, number[]>();
      all.forEach(({ workflowId }, n) => {
        byId.set(workflowId, [...(byId.get(workflowId) ?? []), results[n]?.credits ?? 0]);
      });
      // What a look has found paid may be told already; what a run said before it, or the one that began it, was reset, it says again.
      const wasReset = new Set(
        all.flatMap((run, n) =>
          results[n]?.paidBefore || replaced.has(run) || (run.start.parent && replaced.has(run.start.parent.run))
            ? run.workflowId
            : [],
        ),
      );
      const credits = [...byId].reduce(
        (sum, [id, said]) => sum + (wasReset.has(id) ? Math.max(...said) : said.reduce((one, other) => one + other)),
        0,
      );
      // Of runs that have all sent, and whose books are gone, each takes what is found for its own: the safe side.
      const most = by === undefined ? 0 : people.isLedgerLost ? Number.POSITIVE_INFINITY : 1_000;
      if (credits > most)
        throw new Finding(
          'S6',
          `results have ${credits} credits for lead ${leadId}, paid by ${by ?? 'nobody'}: ${all.map((run, n) => `${run.workflowId} ${JSON.stringify(results[n])}`).join()}`,
        );
      const isLost =
        all.some((run) => people.meddled.has(run) || run.status !== 'COMPLETED' || scene.isBeforeRollout(run)) ||
        people.isLedgerLost ||
        gone.has(leadId);
      if (by === 'agent' && credits === 0 && !isLost)
        throw new Finding('S6', `lead ${leadId} was paid for, and its results say: ${JSON.stringify(results)}`);
    }
  }
}

/** What a reset has replaced: the run that was reset, those that continued it, and the one that it ended. */
function replacedOf(runs: readonly Run[]): Set<Run> {
  const replaced = new Set<Run>();
  for (const run of runs)
    if (run.resetTo || run.isEndedByReset)
      for (let next: Run | undefined = run; next; next = next.continuedAs) replaced.add(next);
  return replaced;
}

const rootOf = (failure: Failure | null | undefined): string =>
  failure?.cause ? rootOf(failure.cause) : (failure?.message ?? '');
