/** How runs must have ended when all is over, and what their results must say (S6). */
import { BOOKS } from '../../../src/books/journal';
import type { Standing } from '../../../src/books/standing';
import { rootOf } from '../engine/proto';
import type { Run } from '../engine/run';
import { RETRIES } from './coverage';
import { keyOf } from './halts';
import { Finding, type PaymentRules } from './payments';
import { isBatch, type People } from './people';
import type { Scene } from './scene';

export class ResultRules {
  constructor(
    private readonly scene: Scene,
    private readonly people: People,
    private readonly payments: PaymentRules,
  ) {}

  /** S6: what nobody has meddled with ends by itself, and says how. */
  endings(): void {
    for (const run of [...this.scene.server.runs.values()].flat()) {
      if (run.type === 'accountLedger' || this.people.meddled.has(run)) continue;
      // The build before ended with a step that somebody had failed.
      if (this.people.failed.has(run) && this.scene.isBeforeRollout(run)) continue;
      const why = rootOf(run.failure);
      // A record of its own that cannot be read it names, and asks for.
      if ([...this.people.administrators.damaged.keys()].some((ref) => !ref.startsWith(BOOKS) && why.includes(ref)))
        continue;
      const isWrong = run.status === 'CANCELED' ? !this.#isCalledOff(run) : /FAILED|TERMINATED/.test(run.status);
      if (isWrong) throw new Finding('S6', `${run.workflowId} ends as ${run.status}: ${why}`);
    }
  }

  /** Somebody has cancelled it or what began it, or stopped that. */
  #isCalledOff(run: Run): boolean {
    const { calledOff, isAttacked } = this.people;
    const isIt = ({ workflowId, firstRunId }: Run) =>
      [...calledOff].some((one) => one.workflowId === workflowId && one.firstRunId === firstRunId);
    const parent = run.start.parent?.run;
    return isAttacked || isIt(run) || (parent !== undefined && this.#isCalledOff(parent));
  }

  /** S6: what pipelines and batches say that they have spent the service has charged for them, where nobody has meddled with their runs. */
  batches({ runs }: Standing): void {
    const { scene, people } = this;
    if (people.administrators.areBooksLost) return;
    const every = [...scene.server.runs.values()].flat();
    const isOdd = isOddIn(scene, people);
    const sent = this.payments.sent();
    const known = new Set(every.map(keyOf));
    for (const run of every.filter(isBatch)) {
      const { credits, goesOn } = (scene.resultOf(run) ?? {}) as { credits?: number; goesOn?: { maySpend: number } };
      const key = keyOf(run);
      const spent = runs.get(key) ?? 0;
      // What was sent before the ledger was lost may have been another's by then.
      if (this.payments.isSentBefore(people.ledgerLostAt, { run: key })) continue;
      const { least, most } = this.payments.chargedFor(key);
      // A server that was set back has forgotten the run that paid; the one that was begun instead finds what it paid for.
      const isAnothers = [...runs.keys()].some(
        (one) => one !== key && one.startsWith(`${run.workflowId}/`) && !known.has(one),
      );
      // Or it has forgotten that this one went on, which had ended by the other backup.
      const hasGoneOn = [...sent.values()].some((one) => one.run === key && one.lastAt > (run.closedAt ?? 0));
      const isSetBack = scene.misfortunes.happened.has('setTemporalBack');
      const isForgotten = isAnothers || (hasGoneOn && isSetBack);
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
      // What it leaves to itself may yet pay.
      const later = spent - (credits ?? 0);
      // What a run of before paid out of its own budget, and was ended by hand before it could say so, one under its ID reports.
      const heardOut = every.filter(
        (one) =>
          !below.includes(one) &&
          one.closedAt !== undefined &&
          scene.resultOf(one) === undefined &&
          below.some(({ workflowId }) => workflowId === one.workflowId),
      );
      const saidBelow = (id: string) =>
        below.reduce(
          (sum, one) =>
            one.workflowId === id ? sum + ((scene.resultOf(one) as { credits?: number })?.credits ?? 0) : sum,
          0,
        );
      const others = heardOut.reduce(
        (sum, one) => sum + Math.min(runs.get(keyOf(one)) ?? 0, saidBelow(one.workflowId)),
        0,
      );
      // Or of its own runs the one that paid, and somebody has begun one under its ID before the batch did.
      const leadsBelow = new Set(below.map((one) => `lead:${(scene.inputOf(one) as { leadId?: string }).leadId}`));
      const isNobodys = (subject: string) => subject.startsWith('lead:') && !leadsBelow.has(subject);
      const forgotten = isSetBack ? this.payments.chargedFor(key, isNobodys).most : 0;
      const isUntrue =
        later < -others || later > (goesOn?.maySpend ?? 0) + forgotten || (isKnown && (spent < least || spent > most));
      if (credits !== undefined && isUntrue && !isForgotten && ![run, ...below].some(isOdd))
        throw new Finding(
          'S6',
          `${run.workflowId} says that it has spent ${credits} credits, the books say ${spent}, and the service ${least}`,
        );
    }
  }

  /** S6: what was paid for is in the results, once, and never reported otherwise. */
  results(): void {
    const { scene, people } = this;
    const paid = new Map(scene.service.payments.all.map(({ subject, by }) => [subject, by]));
    // By a run that Temporal has forgotten twice over, maybe: none that it knows was there at that moment.
    const paidAt = new Map(scene.service.payments.all.map((one) => [one.subject, Date.parse(scene.momentOf(one))]));
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
      // Of runs that have all sent before the ledger was lost each takes what is found for its own: the safe side.
      const wasLost = this.payments.isSentBefore(people.ledgerLostAt, { subject: `lead:${leadId}` });
      const most = by === undefined ? 0 : wasLost ? Number.POSITIVE_INFINITY : 1_000;
      if (credits > most)
        throw new Finding(
          'S6',
          `results have ${credits} credits for lead ${leadId}, paid by ${by ?? 'nobody'}: ${all.map((run, n) => `${run.workflowId} ${JSON.stringify(results[n])}`).join()}`,
        );
      const isLost =
        all.some((run) => people.meddled.has(run) || run.status !== 'COMPLETED' || scene.isBeforeRollout(run)) ||
        wasLost ||
        gone.has(leadId) ||
        !all.some((run) => wasOpenAt(run, paidAt.get(`lead:${leadId}`)));
      if (by === 'agent' && credits === 0 && !isLost)
        throw new Finding('S6', `lead ${leadId} was paid for, and its results say: ${JSON.stringify(results)}`);
    }
  }
}

const wasOpenAt = ({ startedAt, closedAt }: Run, at = 0): boolean =>
  startedAt <= at && at <= (closedAt ?? Number.POSITIVE_INFINITY);

/**
 * Whether what a run says may be otherwise: somebody has meddled with it, or it was reset, or ended on the build before,
 * or was kept waiting by it.
 */
export function isOddIn(scene: Scene, people: People): (run: Run) => boolean {
  const replaced = replacedOf([...scene.server.runs.values()].flat());
  // What goes on as new after it was reset takes over what that one took for true.
  const meddled = new Set([...people.meddled].map(({ firstRunId }) => firstRunId));
  return (run) =>
    meddled.has(run.firstRunId) || replaced.has(run) || scene.isBeforeRollout(run) || hasWaitedOnBuildBefore(run);
}

/**
 * The build before did not ask what came of a try whose worker was lost before it waited for a hold to be released, and
 * the ledger had forgotten it afterwards. Its control activities, and only its, are in the queue without an account.
 */
const hasWaitedOnBuildBefore = ({ episodes }: Run): boolean =>
  episodes.flat().some(({ commands }) => /"activityType":"clearance".*?"taskQueue":"audit-runner"/.test(commands));

/** What a reset has replaced: the run that was reset, those that continued it, and the one that it ended. */
function replacedOf(runs: readonly Run[]): Set<Run> {
  const replaced = new Set<Run>();
  for (const run of runs)
    if (run.resetTo || run.isEndedByReset)
      for (let next: Run | undefined = run; next; next = next.continuedAs) replaced.add(next);
  return replaced;
}
