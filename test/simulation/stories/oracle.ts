/** What must hold: at each moment, and when all is over (docs/architecture.md, S1–S8). */

import { BOOKS } from '../../../src/books/journal';
import { Standing } from '../../../src/books/standing';
import { verify } from '../../../src/books/verifying';
import { StorageError } from '../../../src/storage';
import { isGarbled } from '../../support/goes-on';
import type { Run } from '../engine/run';
import { OLD_BUILD } from '../worker/host';
import { HANGS_MS } from '../worker/storage';
import { ItemRules } from './item-rules';
import { LedgerRules } from './ledger-rules';
import { mustBeThere } from './made-rules';
import { Midnight } from './midnight';
import { Pauses } from './pauses';
import { Finding, PaymentRules } from './payments';
import type { People } from './people';
import { Reasons } from './reasons';
import { ResultRules } from './result-rules';
import type { Scene } from './scene';
import { mustKeepWindows } from './windows';

const MINUTE = 60_000;
const STILL_MS = 2 * MINUTE;
const ASKED_AGAIN_MS = 15 * MINUTE;
/** A batch looks at those under way once an hour at least. */
const OTHERS_WITHIN_MS = 150 * MINUTE;

export class Oracle {
  readonly #payments: PaymentRules;
  readonly #pauses: Pauses;
  readonly #midnight: Midnight;
  readonly #ledger: LedgerRules;
  readonly #results: ResultRules;
  readonly #items: ItemRules;
  readonly #reasons: Reasons;
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
    this.#ledger = new LedgerRules(scene, people);
    this.#results = new ResultRules(scene, people, this.#payments);
    this.#items = new ItemRules(scene, people, this.#payments);
    this.#reasons = new Reasons(scene);
    scene.server.onUnknown = (what) => {
      this.#found ??= new Finding('engine', `it has no part for ${what}`);
    };
    scene.server.onTaskFailure = (run, cause, why) => {
      if (cause !== 'UNHANDLED_COMMAND' && !why.startsWith(OLD_BUILD))
        this.#found ??= new Finding('determinism', `a task of ${run.workflowId} fails: ${why}`);
    };
  }

  /** After each step. @throws Finding */
  async look(): Promise<void> {
    if (this.#found) throw this.#found;
    if (this.people.garbled) throw new Finding('S7', `a person hears: ${this.people.garbled}`);
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
    if (server.isDown) return;
    for (const run of server.open()) {
      const known = this.#moved.get(run);
      if (!known || known.events !== run.history.length) {
        this.#moved.set(run, { events: run.history.length, at: world.now, askAt: world.now + STILL_MS });
        continue;
      }
      // What a worker was at when it died is missed only when its heartbeats are.
      // And the try after that may wait for a storage that does not answer.
      const hangsMs = this.scene.storage.trouble === undefined ? 0 : HANGS_MS;
      const askAt = Math.max(known.askAt, this.scene.lostAt + STILL_MS + hangsMs);
      if (world.now < askAt || run.type === 'accountLedger' || run.tasks.current) continue;
      known.askAt = world.now + ASKED_AGAIN_MS;
      const details = await this.scene.detailsOf(run);
      if (isGarbled(details)) throw new Finding('S7', `${run.workflowId} says: ${details}`);
      const says = /Waiting since|Cancelled at|says how far it is/.test(details ?? '');
      // Who waits for others says so at the latest when it has looked at them twice.
      const areOthersWell = /Under way/.test(details ?? '') && world.now - this.#lastEndBelow(run) < OTHERS_WITHIN_MS;
      if (details !== undefined && !says && !areOthersWell)
        throw new Finding('S7', `${run.workflowId} stands still since ${world.now - known.at} ms and says: ${details}`);
      if (details !== undefined) await this.#reasons.mustBeTrue(run, details);
    }
  }

  /** When one of the runs that it has begun ended last, or when it began itself. */
  #lastEndBelow({ startedAt, workflowId, firstRunId }: Run): number {
    const ends = [...this.scene.server.runs.values()].flat().flatMap(({ start: { parent }, closedAt }) => {
      const isBelow = parent?.run.workflowId === workflowId && parent.run.firstRunId === firstRunId;
      return isBelow && closedAt !== undefined ? closedAt : [];
    });
    return Math.max(startedAt, ...ends);
  }

  /** Liveness: nothing has gone wrong for so long, and yet some have not ended. */
  async unended(runs: readonly Run[], forMs: number): Promise<Finding> {
    const [run] = runs;
    const details = run && (await this.scene.detailsOf(run));
    const ledger = this.scene.server.current(this.scene.ledgerId);
    const about = ledger?.isOpen ? await this.scene.detailsOf(ledger) : 'there is none';
    return new Finding(
      'liveness',
      `${runs.length} runs have not ended ${Math.round(forMs / 3_600_000)} hours after the last misfortune: ${run?.workflowId} (${run?.tasks.trouble ?? ''}) says: ${details}\nThe ledger says: ${about}`,
    );
  }

  /** When all has ended, and the ledger has had the time to find out the rest. */
  async atEnd(): Promise<void> {
    const books = this.#ledger.kept();
    this.#ledger.endings();
    if (!this.people.isAttacked) await this.#ledger.sums(books);
    this.#once();
    this.#payments.nobodyHalted();
    mustKeepWindows(this.scene);
    this.#results.endings();
    this.#items.look();
    if (!this.people.isAttacked) {
      mustBeThere(this.scene);
      const begun = this.people.paused.wrong();
      if (begun) throw new Finding('S3', begun);
      this.#results.results();
      this.#results.batches(books);
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
}
