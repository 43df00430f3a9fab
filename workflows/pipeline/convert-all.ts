/** Converts the chosen leads, a window of child runs at a time, and accounts for each of them (S6). */
import { CancellationScope, condition, isCancellation, patched } from '@temporalio/workflow';
import type { AccountFacts } from '../../activities/account';
import type { LeadOutcome } from '../../activities/lead-list';
import type { LeadPipelineInput } from '../../src/inputs/lead-pipeline';
import { concernsAccount } from '../../src/ledger/account-failures';
import { convertLeadId } from '../../src/runs/run-ids';
import { Begun, type GoesOn, goesOn, untilEnded } from '../shared/begun';
import { BlockerWatch } from '../shared/blocker-watch';
import { isHeard } from '../shared/overtaken';
import { hearPlaces, taken } from '../shared/place';
import { beside, type Status } from '../shared/status';
import type { Controls } from './controls';
import { type Account, type AuditSettings, convertOne, goOn, type Lane } from './convert-one';

interface Watch {
  /** One of those under way only waits now, or goes on, or its run is gone. */
  moved(): void;
  began(leadId: string): void;
  ended(outcome: LeadOutcome): void;
}

/** The conversions of one pipeline. */
export class ConvertAll {
  readonly #at: Account;
  readonly #lanes = new Map<string, Lane>();
  readonly #blockers: BlockerWatch;
  #begun = 0;
  #ended = 0;
  #refused = false;
  #failure: unknown;

  constructor(
    { account }: LeadPipelineInput,
    facts: AccountFacts,
    status: Status,
    audit: AuditSettings | undefined,
    private readonly controls: Controls,
    private readonly watch: Watch,
  ) {
    const isPaused = () => controls.state.paused !== undefined;
    this.#at = { account, facts, status, audit, begun: new Begun(), isPaused, moved: () => watch.moved() };
    const others = {
      ended: () => this.#ended,
      underWay: () => [...this.#lanes.keys()].map((leadId) => convertLeadId(account, leadId)),
      credits: () => facts.convertPrice,
    };
    // Keyed by lead: a lead's run has its ID.
    hearPlaces(
      (id) => [...this.#lanes].find(([leadId]) => convertLeadId(account, leadId) === id)?.[1],
      () => this.watch.moved(),
    );
    this.#blockers = new BlockerWatch(account, facts.timing.holdProbeMs, others, () => controls.say());
  }

  /** Its run is gone, and it is looked up what became of its call. */
  isLost(leadId: string): boolean {
    return this.#lanes.get(leadId)?.is === 'lost';
  }

  /** How many of those under way only wait. */
  get away(): number {
    return [...this.#lanes.values()].filter(({ away }) => away).length;
  }

  /** @returns whether it ended early, at a refusal that every further lead would meet too */
  async run(leads: readonly string[]): Promise<boolean> {
    const { controls } = this;
    const { limits } = controls.state;
    const broken = () => this.#refused || this.#failure !== undefined;
    const atLimit = () => this.#begun >= limits.maxConversions;
    const hasRoom = () =>
      !controls.state.paused && taken(this.#lanes.values(), limits.concurrency) < limits.concurrency;
    // As long as the run goes on, a limit that was lowered may be raised again.
    const atRest = () => this.#lanes.size === 0 && !isHeard('changeLimits');
    controls.blockers = this.#blockers;
    controls.say();
    const saying = new CancellationScope();
    const said = saying
      .run(() => this.#blockers.run())
      .catch((error) => {
        if (!isCancellation(error)) this.#failure ??= error;
      });
    try {
      for (const leadId of leads) {
        await condition(() => broken() || atLimit() || hasRoom());
        while (!broken() && atLimit() && !atRest() && patched('takesRaisedLimit'))
          await condition(() => broken() || (atLimit() ? atRest() : hasRoom()));
        if (broken() || atLimit()) break;
        this.#begun++;
        this.#begin(leadId);
      }
      await condition(() => this.#lanes.size === 0 || this.#failure !== undefined);
    } finally {
      saying.cancel();
      await said;
      controls.blockers = undefined;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#refused;
  }

  /**
   * Calls off what has sent nothing, and waits a little for what has: see {@link Begun}.
   * @returns the runs that it leaves to themselves; all that is under way has its last word then
   */
  async withdraw(now: boolean): Promise<GoesOn> {
    const { facts, account, begun } = this.#at;
    await begun.withdraw();
    await untilEnded(facts, () => this.#lanes.size === 0, now);
    const left: string[] = [];
    for (const [leadId, { is, outcome }] of [...this.#lanes]) {
      if (is === 'ours' && !outcome) left.push(convertLeadId(account, leadId));
      const last = {
        ours: { outcome: 'unresolved', reason: 'itsRunGoesOn' },
        theirs: { outcome: 'skipped', reason: 'inAnotherRun' },
        lost: { outcome: 'unresolved', reason: 'notSettled' },
      } as const;
      this.#lanes.delete(leadId);
      this.watch.ended(outcome ?? { leadId, ...last[is], credits: 0 });
    }
    return goesOn(left, left.length * facts.convertPrice);
  }

  /** Shielded from a cancellation: a child is confirmed before it is told, and what it says is heard (S6). */
  #begin(leadId: string): void {
    const lane: Lane = { is: 'ours' };
    this.#lanes.set(leadId, lane);
    this.watch.began(leadId);
    CancellationScope.nonCancellable(() => beside(() => this.#convert(leadId, lane))).catch((error) => {
      this.#failure ??= error;
    });
  }

  async #convert(leadId: string, lane: Lane): Promise<void> {
    const { maxCredits } = this.controls.state.limits;
    lane.outcome = await convertOne(this.#at, maxCredits, leadId, lane);
    const outcome = await goOn(this.#at, lane.outcome);
    // One that was left has its last word already.
    if (!this.#lanes.delete(leadId)) return;
    this.#ended++;
    this.watch.ended(outcome);
    this.#blockers.oneEnded();
    this.controls.say();
    if (outcome.outcome === 'refused' && outcome.reason && concernsAccount(outcome.reason)) this.#refused = true;
  }
}
