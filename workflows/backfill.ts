/** Does one operation to each of many items, for as long as that takes, and accounts for every one of them. */

import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Concluded } from '../activities/backfill-ledger';
import { BackfillInput, type BackfillJson, resolveApproval } from '../src/inputs/backfill';
import { needsApproval } from '../src/inputs/lead-pipeline';
import type { HandedOn } from '../src/runs/handed-on';
import { endedAs, outcomesInWords } from '../src/runs/reason-words';
import { summaries } from '../src/runs/summaries';
import { md, paragraphs } from '../src/text/md';
import { counted, grouped } from '../src/text/numbers';
import { Controls } from './backfill/batch-controls';
import { describeFailed, progressOf } from './backfill/batch-details';
import type { BackfillProgress, BackfillResult } from './backfill/batch-messages';
import { type Before, begin, endedIn, type Renewal, renewalOf, type State, totalOf } from './backfill/batch-state';
import { Drive } from './backfill/drive';
import { type Listed, Planned } from './backfill/planned';
import { prepare } from './backfill/source';
import { NOTHING_DONE, NOTHING_PLANNED, openingOf, UNLISTED, unlisted } from './backfill/unlisted';
import { describeGoesOn, type GoesOn, sayWithdrawing } from './shared/begun';
import { control, factsOf, runKey, streaming } from './shared/calls';
import { failureSentence, failureType } from './shared/failures';
import { handed, handOn } from './shared/handed';
import { allAnswered, allHandled } from './shared/kept-acts';
import { asInput, readInput } from './shared/read-input';
import { creditsSpent, identity, Status } from './shared/status';
import { TELL_WITHIN_MS, tell } from './shared/tell';
import { goesOnWithCurrentBuild } from './shared/versioned';

export type { BackfillProgress, BackfillResult } from './backfill/batch-messages';

goesOnWithCurrentBuild(backfill);

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
  let planned: Planned | undefined;
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
      status.figures(md`No item was begun, and no credits were spent.`);
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
    let listed: Listed | undefined;
    if (!state) {
      status.step('listing', 'Making the list of items');
      const opened = before.listing?.opened ?? (await asInput(control.openBackfill(openingOf(input))));
      const made = await asInput(prepare({ input, facts, status, opened }, before.listing?.listing));
      if ('listing' in made) {
        await condition(allHandled);
        const listing = { opened, listing: made.listing, controls: controls.state };
        return continueAsNew<typeof backfill>(raw, { ...renewal, ...handOn({ listing }) });
      }
      const { folder, operation, source } = opened;
      const { first, mayBeSpent, ...prepared } = made.prepared;
      listed = { ...(first && { first }), ...(mayBeSpent && { mayBeSpent }), leads: source?.leads };
      state = begin({ folder, operation }, prepared);
    }
    const { operation, folder } = state.opened;
    const its = new Planned({ input, raw, listed }, facts, state, controls);
    planned = its;
    controls.onLimits = () => (drive ? drive.show() : its.showAnew(status));
    status.figures(its.page());
    if (dryRun) return 'planned';
    if (!before.driving && needsApproval(resolveApproval(raw), its.plan.credits)) {
      const answer = await its.approval(status, account, input.approvalDeadline);
      if (answer !== 'approved') return answer;
      state.beganAt = Date.now();
    }
    const common = { input, operation, folder, facts, status, runKey: runKey() };
    drive = new Drive(
      { ...common, maxCredits: () => controls.state.limits.maxCredits },
      ...([controls, state, () => its.plan, renewal.renewAfter] as const),
    );
    status.step('running', `${operation} for ${counted(totalOf(state, controls.state.limits.maxItems), 'item')}`);
    if ((await drive.run()) === 'over') return 'done';
    const driving = { state: await drive.carry(), controls: controls.state, facts };
    return continueAsNew<typeof backfill>(raw, { ...renewal, ...handOn({ driving }) });
  }

  async function withdraw(stopped?: { now: boolean }): Promise<GoesOn | undefined> {
    controls.approval = 'none';
    sayWithdrawing(status, stopped ? 'Stopped' : 'Cancelled');
    return drive?.withdraw(stopped?.now ?? false);
  }

  async function finish(): Promise<BackfillResult> {
    controls.close();
    status.asksNobody();
    if (!state) {
      status.step(ended, endedAs(ended, UNLISTED));
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
      plan: planned?.plan ?? NOTHING_PLANNED,
      ...(left && left.count > 0 && { goesOn: left }),
      ...{ perMinute, durationMs, files: { folder, ...files }, left: prepared.left, notes },
      answers: controls.state.answers,
    };
    const summary = concluded && (await control.writeSummary({ folder, summary: result }).catch(unwritten));
    upsertSearchAttributes([creditsSpent(credits)]);
    const sums =
      ended === 'planned'
        ? `${counted(result.plan.items, 'item')} to be done, ${grouped(size - result.plan.items)} skipped`
        : outcomesInWords(counts) || 'no items';
    status.step(ended, endedAs(ended, `${sums}; ${counted(credits, 'credit')} spent`));
    status.figures(
      paragraphs([
        ended === 'planned' ? planned?.page() : left && left.count > 0 ? describeGoesOn(left) : undefined,
        concluded && describeFailed(concluded),
        md`In the storage: ${folder}`,
      ]),
    );
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
    trouble ??= `The item ledger is not complete, for the storage has lost what was in it: ${failureSentence(error)} The counts are those of the run.`;
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
