/** Does one operation to each of many items, for as long as that takes, and accounts for every one of them. */

import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountFacts } from '../activities/account';
import type { Concluded } from '../activities/backfill-ledger';
import { OUTCOME_WORDS, type OutcomeWord } from '../src/batches/outcomes';
import { type BackfillPlan, planBackfill } from '../src/batches/plan';
import { BackfillInput, type BackfillJson, resolveApproval } from '../src/inputs/backfill';
import { needsApproval } from '../src/inputs/lead-pipeline';
import type { HandedOn } from '../src/runs/handed-on';
import { howToAnswer } from '../src/runs/how-to-answer';
import { summaries } from '../src/runs/summaries';
import { grouped } from '../src/text/numbers';
import { formatDuration } from '../src/time/duration';
import { Controls } from './backfill/batch-controls';
import { progressOf, totalOf } from './backfill/batch-details';
import type { BackfillProgress, BackfillResult } from './backfill/batch-messages';
import { type Before, begin, endedIn, type Renewal, renewalOf, type State } from './backfill/batch-state';
import { Drive } from './backfill/drive';
import { prepare } from './backfill/source';
import { NOTHING_DONE, NOTHING_PLANNED, openingOf, UNLISTED, unlisted } from './backfill/unlisted';
import { describeGoesOn, type GoesOn, sayWithdrawing } from './shared/begun';
import { control, factsOf, runKey, streaming } from './shared/calls';
import { failureText, failureType } from './shared/failures';
import { handed, handOn } from './shared/handed';
import { allAnswered, allHandled } from './shared/kept-acts';
import { asInput, readInput } from './shared/read-input';
import { creditsSpent, identity, Status } from './shared/status';
import { TELL_WITHIN_MS, tell, tellPersonNeeded } from './shared/tell';

export type { BackfillProgress, BackfillResult } from './backfill/batch-messages';

/**
 * Each item is a child run under the ID that it has everywhere, so that what anybody does or did is recognised. All items
 * share one budget and one fairness key (S3); the items themselves are in the storage, and a window of them here.
 * @param given what an earlier part of the same run has done; `renewAfter` is for tests
 */
export async function backfill(
  raw: BackfillJson,
  given?: Partial<HandedOn<Before>> & Renewal,
): Promise<BackfillResult> {
  const before = handed(given) ?? {};
  const renewal = renewalOf(given);
  const input = readInput(BackfillInput, raw, 'backfill');
  const { account, dryRun } = input;
  const status = new Status();
  status.about(summaries.backfill(input), account);
  const controls = new Controls(input, before.driving?.controls ?? before.listing?.controls);
  let drive: Drive | undefined;
  let trouble: string | undefined;
  let state: State | undefined = before.driving?.state;
  status.answers<BackfillProgress>(
    () => ({
      ...(state ? progressOf(state, controls, drive?.window.running ?? new Map()) : NOTHING_DONE),
      limits: controls.state.limits,
    }),
    'What this backfill is doing, why it waits, how far and how fast it is.',
  );
  upsertSearchAttributes(identity(account));
  // A stop ends what the run does at the moment, as a cancellation does; what is said afterwards is not cancelled by it.
  const work = new CancellationScope();
  controls.onStop = () => work.cancel();
  let plan: BackfillPlan | undefined;
  let ended: BackfillResult['ended'];
  let left: GoesOn | undefined;
  try {
    ended = await work.run(perform);
  } catch (error) {
    if (failureType(error) === LOST) unwritten(error);
    else if (!isCancellation(error)) throw error;
    const { stopped } = controls.state;
    // Nothing is listed yet, so there is nothing to account for.
    if (!state && !stopped) {
      status.figures('No item was begun, and no credits were spent.');
      throw error;
    }
    ended = stopped || trouble ? 'stopped' : 'cancelled';
    left = await CancellationScope.nonCancellable(() => withdraw(stopped).catch(unwritten));
  }
  // S6: also a backfill that was cancelled leaves its ledger.
  return CancellationScope.nonCancellable(finish);

  async function perform(): Promise<BackfillResult['ended']> {
    if (controls.state.stopped) work.cancel();
    const facts = await factsOf(account).catch((error) => {
      // What an earlier part has begun is withdrawn and accounted for all the same.
      if (!isCancellation(error) || !before.driving) throw error;
      return before.driving.facts;
    });
    if (!state) {
      status.step('listing', 'Making the list of items');
      const opened = before.listing?.opened ?? (await asInput(control.openBackfill(openingOf(input))));
      const made = await asInput(prepare({ input, facts, status, opened }, before.listing?.listing));
      if ('listing' in made) {
        await condition(allHandled);
        const listing = { opened, listing: made.listing, controls: controls.state };
        return continueAsNew<typeof backfill>(raw, { ...renewal, ...handOn({ listing }) });
      }
      const { folder, operation } = opened;
      state = begin({ folder, operation }, made.prepared);
    }
    const { operation, folder } = state.opened;
    plan = planOf(controls, facts, state);
    status.figures(`Plan: ${plan.text}`);
    if (dryRun) return 'planned';
    if (!before.driving && needsApproval(resolveApproval(raw), plan.credits)) {
      const answer = await approval(plan, state);
      if (answer !== 'approved') return answer;
      state.beganAt = Date.now();
    }
    const common = { input, operation, folder, facts, status, runKey: runKey() };
    drive = new Drive(
      { ...common, maxCredits: () => controls.state.limits.maxCredits },
      ...([controls, state, plan, renewal.renewAfter] as const),
    );
    status.step('running', `${operation} for ${grouped(totalOf(state, controls.state.limits.maxItems))} items`);
    if ((await drive.run()) === 'over') return 'done';
    const driving = { state: await drive.carry(), controls: controls.state, facts };
    return continueAsNew<typeof backfill>(raw, { ...renewal, ...handOn({ driving }) });
  }

  async function withdraw(stopped?: { now: boolean }): Promise<GoesOn | undefined> {
    controls.approval = 'none';
    sayWithdrawing(status, stopped ? 'Stopped' : 'Cancelled');
    return drive?.withdraw(stopped?.now ?? false);
  }

  async function approval(
    { credits, items }: BackfillPlan,
    started: State,
  ): Promise<'approved' | 'rejected' | 'expired'> {
    controls.approval = 'asked';
    status.step('approval', `A person approves ${grouped(items)} items for ${grouped(credits)} credits`);
    status.asksPerson(true);
    tellPersonNeeded(account, 'approval', ++started.told, `${grouped(items)} items for ${grouped(credits)} credits`);
    const within = formatDuration(input.approvalDeadline);
    const how = howToAnswer(workflowInfo().workflowId, ['approve', 'reject'], 'approve');
    status.waits(`Approval is needed within ${within}. ${how}`);
    await condition(() => controls.approval !== 'asked', input.approvalDeadline);
    status.asksPerson(false);
    const answer = controls.approval === 'asked' || controls.approval === 'none' ? 'expired' : controls.approval;
    controls.approval = 'none';
    return answer;
  }

  async function finish(): Promise<BackfillResult> {
    controls.close();
    status.asksPerson(false);
    if (!state) {
      status.step(ended, `${ended}: ${UNLISTED}`);
      await allAnswered();
      return unlisted(ended, input, controls.state.answers);
    }
    const { opened, prepared } = state;
    status.step('concluding', 'Writing the item ledger');
    await drive?.flush().catch(unwritten);
    const { folder, operation } = opened;
    const size = prepared.needs.items;
    const begun = state.lists[0]?.next ?? 0;
    const concluding = { operation, folder, size, begun, unbegun: unbegun(ended), parts: state.parts };
    const concluded =
      ended === 'planned'
        ? undefined
        : await streaming('Write the item ledger').concludeBackfill(concluding).catch(fromMemory(state));
    const { counts, reasons, credits, files } = concluded ?? {
      counts: { ...state.counts, skipped: size },
      reasons: { 'skipped: dryRun': size },
      ...{ credits: 0, files: { quarantine: `${folder}/quarantine.jsonl` } },
    };
    const notes = [...prepared.notes, ...(trouble ? [trouble] : []), ...(concluded?.notes ?? [])];
    const durationMs = Date.now() - state.beganAt;
    const perMinute = Math.round((endedIn(state) / Math.max(1, durationMs)) * 600_000) / 10;
    const result: BackfillResult = {
      ...{ operation, dryRun, ended, counts, items: size + prepared.quarantined, reasons, credits },
      plan: plan ?? NOTHING_PLANNED,
      ...(left && left.count > 0 && { goesOn: left }),
      ...{ perMinute, durationMs, files: { folder, ...files }, left: prepared.left, notes },
      answers: controls.state.answers,
    };
    const summary = concluded && (await control.writeSummary({ folder, summary: result }).catch(unwritten));
    upsertSearchAttributes([creditsSpent(credits)]);
    const sums = Object.entries(counts).flatMap(([what, n]) =>
      n > 0 ? [`${grouped(n)} ${OUTCOME_WORDS[what as OutcomeWord]}`] : [],
    );
    status.step(ended, `${ended}: ${sums.join(', ') || 'no items'}; ${grouped(credits)} credits spent`);
    const more = ended === 'planned' ? plan?.text : left && left.count > 0 ? describeGoesOn(left) : undefined;
    status.figures(`${more ? `${more}\n\n` : ''}In the storage: ${folder}`);
    if (ended !== 'planned' && ended !== 'rejected')
      await tell({ kind: 'batchEnded', account, what: ended, counts, nth: 1 }, TELL_WITHIN_MS);
    await allAnswered();
    return { ...result, files: { ...result.files, ...(summary && { summary }) } };
  }

  /** S6: what the run itself counted stands in its result also where the storage has lost it. */
  function fromMemory(known: State): (error: unknown) => FromMemory {
    return (error) => {
      unwritten(error);
      const { counts: own, credits, opened, prepared } = known;
      const skipped = own.skipped + Math.max(0, prepared.needs.items - endedIn(known));
      const counts = { ...own, skipped };
      return {
        ...{ counts, credits, notes: [], reasons: {} },
        files: { quarantine: `${opened.folder}/quarantine.jsonl` },
      };
    };
  }

  /** What the storage has lost does not come back by itself. */
  function unwritten(error: unknown): undefined {
    if (failureType(error) !== LOST) throw error;
    trouble ??= `The item ledger is not complete, for the storage has lost what was in it: ${failureText(error)} The counts are those of the run.`;
  }

  /** Why items were not begun, from which place in the list on. */
  function unbegun(ended: BackfillResult['ended']) {
    if (ended === 'rejected' || ended === 'expired') return [{ from: 0, reason: 'notApproved' }];
    const over = { from: controls.state.limits.maxItems ?? Number.MAX_SAFE_INTEGER, reason: 'overMaxItems' };
    const left = ended === 'stopped' || ended === 'cancelled' ? ended : 'overMaxCredits';
    return [{ from: 0, reason: left }, over];
  }
}

// ---- Helpers

/** The type of what a storage does not have any more. */
const LOST = 'StorageError';

/** What is known without the item ledger. */
type FromMemory = Omit<Concluded, 'files'> & { files: Pick<Concluded['files'], 'quarantine'> };

function planOf({ state: { limits } }: Controls, facts: AccountFacts, { opened, prepared }: State): BackfillPlan {
  const { itemsPerMinute, maxItems, maxCredits } = limits;
  return planBackfill(opened.operation, prepared.needs, {
    ...facts,
    ...(itemsPerMinute !== null && { itemsPerMinute }),
    ...(maxItems !== null && { maxItems }),
    maxCredits,
  });
}
