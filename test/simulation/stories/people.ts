/** What people do: operators to whatever is there, and those whom runs ask. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { LedgerState } from '../../../src/ledger';
import { convertLeadId } from '../../../src/runs/run-ids';
import type { BackfillProgress } from '../../../workflows/backfill/batch-messages';
import { isGarbled } from '../../support/goes-on';
import type { Activity } from '../engine/activity';
import type { Run } from '../engine/run';
import { Administrators } from './administrators';
import { Answers, clientOf } from './answers';
import { attack } from './attacks';
import { FAILED_BY_HAND, meeting, RETRIES } from './coverage';
import { Halts, keyOf } from './halts';
import { Paused } from './paused';
import { type Act, type Begun, LOSSES } from './plan';
import type { Scene } from './scene';

/** Runs that have ended not longer ago than this are reset as well. */
const RECENTLY_MS = 1_800_000;
/** Temporal is back by then. */
const MOST_AWAY_MS = 600_000;
/** So often people have what has failed in a batch tried again. */
const MOST_RETRIES = 3;
/** Whose answers people know by looking into the web app. */
const LOOKS_EVERY_MS = 600_000;
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;

export const isBatch = ({ type }: Run): boolean => type === 'leadPipeline' || type === 'backfill';

/** What an audit of a new project for a client is started with. */
export const auditOf = (client: number) => {
  const reference = `R-${client}`;
  return { project: { clientName: clientOf(reference) }, reference };
};

export class People {
  readonly administrators: Administrators;
  readonly halts: Halts;
  readonly paused: Paused;
  /** Runs that an operator has meddled with: what became of them is the operator's own doing. */
  readonly meddled = new Set<Run>();
  /** Runs of the ledger that an operator has ended. */
  readonly endedLedgers = new Set<Run>();
  /** When it, or all that Temporal knows, was lost last. */
  ledgerLostAt = Number.NEGATIVE_INFINITY;
  /** Runs of which somebody has failed a step. */
  readonly failed = new Set<Run>();
  /** Runs that were cancelled or stopped. */
  readonly calledOff = new Set<Run>();
  /** Credits by which the balance was lower than the books explain, as a hold said. */
  unexplained = 0;
  /** Keys of runs that somebody was about to approve. */
  readonly approved = new Set<string>();
  /** Somebody has sent any message: sums and results are what was said. */
  isAttacked = false;
  /** The first refusal that nobody can read. */
  garbled: string | undefined;
  /** The lead whose conversion was asked for last. */
  lastPaid: string | undefined;
  /** By the first run of each batch. */
  readonly #retried = new Map<string, number>();
  /** What was started, in its order. */
  readonly #begun: [Begun, number][] = [];
  readonly #answers: Answers;
  /** Workflow IDs of what was paused and is to go on. */
  readonly #resumed = new Set<string>();

  constructor(private readonly scene: Scene) {
    this.administrators = new Administrators(scene);
    this.halts = new Halts(scene);
    this.paused = new Paused(scene);
    this.#answers = new Answers(scene);
  }

  begin(begun: Begun, n: number): void {
    this.#begun.push([begun, n]);
    this.#start(begun, n);
  }

  #start(begun: Begun, n: number): void {
    const { scene } = this;
    const who = this.#idOf(begun, n);
    if (begun.type === 'convertLead') {
      const leadId = scene.leads[begun.lead]?.id ?? '';
      scene.start(begun.type, this.#idOf(begun, n), { leadId, maxCredits: begun.maxCredits });
    } else if (begun.type === 'auditProject')
      scene.start(begun.type, who, { ...auditOf(begun.client), documents: [{ ref: 'brief.txt' }] });
    else if (begun.type === 'ingestCapture')
      scene.start(begun.type, who, { note: `What was said at meeting ${begun.note}` });
    else scene.start(begun.type, who, begun.input);
  }

  #idOf(begun: Begun, n: number): string {
    if (begun.type !== 'convertLead' || begun.byHand) return `${begun.type}-${n}`;
    return convertLeadId('default', this.scene.leads[begun.lead]?.id ?? '');
  }

  /** Of what was begun and is not there nobody knows how far it came: it is begun again. */
  #beginAgain(): void {
    const isGone = ([begun, n]: [Begun, number]) => !this.scene.server.current(this.#idOf(begun, n));
    for (const [begun, n] of this.#begun.filter(isGone)) this.#start(begun, n);
  }

  /** @returns whether there was anything to do it to */
  act({ what, which, forMs }: Act): boolean {
    const { scene } = this;
    const { control, server, world } = scene;
    const { administrators, halts } = this;
    const open = server.open().filter(({ type }) => type !== 'accountLedger');
    // Of what began others there is little, and its end is where it matters.
    const batches = open.filter(isBatch);
    const choice = which % 2 === 0 && batches.length > 0 ? batches : open;
    const run = choice[which % Math.max(1, choice.length)];
    const ledger = server.current(scene.ledgerId);
    const later = (then: () => void) => void world.after(forMs, then);
    if (administrators.isLedgerAlone && LOSSES.includes(what)) return false;
    if (LOSSES.includes(what) || what === 'loseBoth' || what === 'setBooksBack') halts.losesLedger();
    if (LOSSES.includes(what) || what === 'loseBoth') this.paused.resumes();
    switch (what) {
      case 'cancel':
        if (!run) return false;
        this.#cancel(run);
        halts.ends(run, what);
        scene.misfortunes.note(meeting(what, run));
        return true;
      case 'terminate':
        run?.terminate();
        return this.#end(what, run);
      case 'startAgain': {
        if (!run) return false;
        run.terminate();
        const { workflowId, type, input } = run.start;
        const [given] = input;
        later(() => scene.start(type, workflowId, given && defaultPayloadConverter.fromPayload(given)));
        return this.#end(what, run);
      }
      case 'resetActivity': {
        const isFailed = which % 3 === 2;
        const pending = (isFailed ? server.open() : open).flatMap(({ activities }) => [...activities.values()]);
        const some = isFailed ? pending.filter(({ isStarted }) => isStarted) : pending;
        const activity = some[which % Math.max(1, some.length)];
        if (!activity) return false;
        scene.misfortunes.note(isFailed ? FAILED_BY_HAND : meeting(what, activity.run));
        if (isFailed) this.#fail(activity);
        else activity.reset();
        return true;
      }
      case 'resetRun': {
        const recent = [...server.runs.values()].flat().filter(({ type, closedAt, points }) => {
          const isRecent = closedAt === undefined || world.now - closedAt < RECENTLY_MS;
          return type !== 'accountLedger' && isRecent && points.length > 0;
        });
        const some = which % 2 === 0 ? recent.filter(isBatch) : recent;
        return this.#reset(what, which, some.length > 0 ? some : recent);
      }
      case 'resetLedger': {
        // Seldom one that has a successor already.
        const runs = server.runs.get(scene.ledgerId)?.filter(({ points }) => points.length > 0) ?? [];
        return this.#reset(what, which, runs.slice(which % 4 === 0 ? 0 : -1));
      }
      case 'convertInWebApp': {
        const lead = scene.leads[which % scene.leads.length];
        if (!lead || lead.surveyStatus === 'converted' || control.credits().credits < 1_000) return false;
        control.convertLead({ leadId: lead.id });
        return true;
      }
      case 'convertAgain':
        return this.#convertAgain(which);
      case 'pause':
      case 'stop': {
        const [target] = batches;
        if (!target) return false;
        const saidAt = world.now;
        this.say(target, what, { by: 'Ann' }, () =>
          what === 'stop' ? halts.stops(target) : this.paused.pauses(target, saidAt),
        );
        this.#resumed.delete(target.workflowId);
        // What has sent something by then goes on without it.
        if (what === 'stop') this.calledOff.add(target);
        else later(() => this.#resume(target));
        scene.misfortunes.note(meeting(what, target));
        return true;
      }
      case 'terminateLedger':
        if (ledger) this.#endLedger(ledger);
        return ledger !== undefined;
      case 'deleteLedger':
        if (ledger) server.delete(scene.ledgerId);
        if (ledger) this.ledgerLostAt = world.now;
        // Who wonders what has become of a lead.
        if (which % 2 === 0) this.#convertAgain(which);
        return ledger !== undefined;
      case 'loseDatabase':
        server.lose();
        halts.forget();
        scene.lostAt = world.now;
        if (ledger) this.ledgerLostAt = world.now;
        later(() => this.#beginAgain());
        return ledger !== undefined;
      case 'loseBoth':
        administrators.loseBoth(which);
        halts.forget();
        this.ledgerLostAt = world.now;
        later(() => this.#beginAgain());
        return ledger !== undefined;
      case 'temporalAway': {
        const downMs = Math.min(forMs, MOST_AWAY_MS);
        server.backUp()(downMs);
        scene.lostAt = world.now;
        world.after(downMs, () => {
          scene.lostAt = world.now;
        });
        return true;
      }
      case 'setTemporalBack':
        return administrators.setTemporalBack(what, later, () => {
          halts.forget();
          halts.losesLedger();
          this.paused.resumes();
          this.#beginAgain();
        });
      case 'beginBooks':
      case 'storageAway':
      case 'setBooksBack':
      case 'damageDocument':
        return administrators[what](which, later);
      case 'attack': {
        this.isAttacked = true;
        const target = attack(scene, which);
        if (target) this.meddled.add(target);
        return target !== undefined;
      }
      case 'startLedgerByHand':
        if (ledger) void this.#startLedger(ledger);
        return ledger !== undefined;
      case 'holdLedger':
        if (!ledger?.isOpen) return false;
        this.say(ledger, 'hold', { by: 'Ann', reason: 'month end' }, halts.holds());
        later(() => this.release());
        return true;
      case 'killSwitch':
        control.setAgentApi({ enabled: false });
        later(() => control.setAgentApi({ enabled: true }));
        return true;
      case 'revokeToken':
        control.revokeToken({ token: scene.token });
        later(() => control.restoreToken({ token: scene.token }));
        return true;
      case 'failAudits':
        control.failNextJob({ times: 1 + (which % 6) });
        return true;
      case 'noCredits': {
        const { credits } = control.credits();
        control.setCredits({ credits: 500 });
        later(() => control.setCredits({ credits: Math.max(credits, 20_000) }));
        return true;
      }
      case 'killWorker':
      case 'killAllWorkers': {
        const alive = server.workers.filter((worker) => worker.alive);
        for (const worker of what === 'killWorker' ? alive.slice(0, 1) : alive)
          scene.kill(worker, 'the hand of an operator');
        return alive.length > 0;
      }
    }
  }

  #cancel(run: Run): void {
    this.calledOff.add(run);
    run.requestCancel();
  }

  #endLedger(ledger: Run): void {
    ledger.terminate();
    this.endedLedgers.add(ledger);
  }

  /** "Start workflow like this one", with books in which nothing was spent and no cap stands. */
  async #startLedger(ledger: Run): Promise<void> {
    const { scene } = this;
    const books = await scene.ask<LedgerState>(ledger, 'state');
    this.#endLedger(ledger);
    const state = books && {
      ...books,
      ...{ days: {}, today: undefined, workers: [], flights: { open: {}, settled: [], forgottenBefore: 0 } },
    };
    scene.start('accountLedger', scene.ledgerId, { of: ledger.firstRunId, state: { probeEveryMs: 60_000, state } });
  }

  /** Lifts what a person has put on hold. */
  release(): void {
    const ledger = this.scene.server.current(this.scene.ledgerId);
    if (!ledger?.isOpen) return;
    const release = { by: 'Ann', reason: 'done', ...(this.isAttacked && { parks: true }) };
    if (this.isAttacked) this.scene.pausesEndedAt = this.scene.world.now;
    this.say(ledger, 'release', release, this.halts.releases());
    if (this.isAttacked) this.say(ledger, 'setBudget', { by: 'Ann', reason: 'done', perDay: null, balanceFloor: 0 });
  }

  #resume(run: Run): void {
    // Whatever runs under the ID by now hears it.
    this.paused.resumes(this.scene.server.current(run.workflowId) ?? run);
    this.#resumed.add(run.workflowId);
    this.say(run, 'resume', { by: 'Ann' });
  }

  /** Of a balance that is lower than the books explain somebody sees in the web app why. */
  async #acceptLower(): Promise<void> {
    const lower = (await this.#holds()).find((hold) => hold.lower)?.lower;
    if (!lower) return;
    this.unexplained = Math.max(this.unexplained, lower.credits);
    this.scene.misfortunes.note('a balance that the books do not explain');
    this.release();
  }

  /** What an attacker has said may put the account on hold later, too. */
  async #liftHold(): Promise<void> {
    if ((await this.#holds()).length > 0) this.release();
  }

  /** As the ledger says, where it answers. */
  async #holds(): Promise<LedgerState['holds']> {
    return (await this.scene.ledgerState())?.holds ?? [];
  }

  /** The lead whose conversion was asked for last, by a run of its own. */
  #convertAgain(which: number): boolean {
    const { lastPaid: leadId } = this;
    if (leadId !== undefined) this.scene.start('convertLead', `again-${which}`, { leadId, maxCredits: 2_000 });
    return leadId !== undefined;
  }

  /** As `temporal activity fail` does: whatever a worker is at goes on, and its answer comes too late. */
  #fail(activity: Activity): void {
    this.scene.world.tell(`${activity.type} of ${activity.run.workflowId} is failed by hand`);
    activity.answered({
      failed: { message: 'failed by Ann', applicationFailureInfo: { type: '', nonRetryable: true } },
    });
    this.failed.add(activity.run);
  }

  /** From now on it spends nothing more. */
  #end(act: string, run: Run | undefined): boolean {
    if (!run) return false;
    this.halts.ends(run, act);
    this.meddled.add(run);
    this.scene.misfortunes.note(meeting(act, run));
    return true;
  }

  /** One of the runs, to one of its workflow tasks; what runs under its ID is ended by it. */
  #reset(act: string, which: number, runs: readonly Run[]): boolean {
    const base = runs[which % Math.max(1, runs.length)];
    if (!base) return false;
    const { server } = this.scene;
    const current = server.current(base.workflowId);
    for (const run of [base, current]) {
      if (!run) continue;
      this.meddled.add(run);
      this.halts.resumes(run);
      this.paused.resumes(run);
    }
    this.scene.misfortunes.note(meeting(act, base));
    this.meddled.add(server.reset(base, which % base.points.length));
    return true;
  }

  async #retryFailed(run: Run): Promise<void> {
    const tries = this.#retried.get(run.firstRunId) ?? 0;
    if (run.type !== 'backfill' || tries === MOST_RETRIES) return;
    const progress = await this.scene.ask<BackfillProgress>(run, 'progress');
    if (!progress || progress.counts.failed === 0) return;
    this.#retried.set(run.firstRunId, tries + 1);
    this.say(run, RETRIES[0], { by: 'Ann' }, () => this.scene.misfortunes.note(RETRIES[0]));
  }

  /** Whoever is told to send it again does, and whoever has no answer from the server. */
  say(run: Run, update: string, said: object, onTaken: () => unknown = () => undefined): void {
    const { client, server, world } = this.scene;
    client.workflow
      .getHandle(run.workflowId)
      .executeUpdate(update, { args: [said] })
      .then(onTaken)
      .catch((error: Error) => {
        const { message } = error.cause instanceof Error ? error.cause : error;
        if (isGarbled(message)) this.garbled ??= message;
        if (!/send it again|try again in a moment|cannot be reached/i.test(message)) return;
        world.after(LOOKS_EVERY_MS, () => {
          const now = server.current(run.workflowId);
          if (now?.isOpen && now.firstRunId === run.firstRunId) this.say(now, update, said, onTaken);
        });
      });
  }

  /** Looks every now and then which runs wait for a person, and answers them by what the web app shows. */
  async keepAnswering(): Promise<void> {
    const { scene } = this;
    scene.world.after(LOOKS_EVERY_MS, () => this.keepAnswering());
    if (Number.isFinite(this.ledgerLostAt)) void this.#acceptLower();
    if (this.isAttacked && scene.misfortunes.areOver) void this.#liftHold();
    for (const run of scene.server.open()) {
      // Nobody holds the interviews of a project that is not the right one.
      const isLong = scene.world.now - run.startedAt > GIVEN_UP_AFTER_MS;
      if (isLong && (await this.#answers.lacksAnalysis(run))) this.#cancel(run);
      // Paused again, since it went back to a moment before it was resumed.
      if (this.#resumed.has(run.workflowId) && (await scene.detailsOf(run))?.includes('Paused by Ann'))
        this.#resume(run);
      await this.#retryFailed(run);
      const answer = await this.#answers.to(run);
      if (answer?.update === 'approve') this.approved.add(keyOf(run));
      if (answer) this.say(run, answer.update, { ...answer.said, by: 'Ann' });
    }
  }
}
