/** What a backfill says of itself, in Markdown and in figures. */
import { workflowInfo } from '@temporalio/workflow';
import type { Concluded } from '../../activities/backfill-ledger';
import { OUTCOMES } from '../../src/batches/outcomes';
import type { BackfillPlan } from '../../src/batches/plan';
import { outcomesInWords, reasonInWords } from '../../src/runs/reason-words';
import { command } from '../../src/text/command';
import { bullets, code, type Markdown, md, paragraphs, sentence } from '../../src/text/md';
import { counted, grouped } from '../../src/text/numbers';
import { formatDuration } from '../../src/time/duration';
import { describeUnderWay } from '../shared/begun';
import { linkTo } from '../shared/links';
import { onlyWait } from '../shared/place';
import type { Controls } from './batch-controls';
import type { BackfillProgress } from './batch-messages';
import { againIn, endedIn, type Running, rateOf, type State, totalOf } from './batch-state';

/** Under way, the longest first. */
const SHOWN = 10;

export function progressOf(
  state: State,
  { state: { limits, paused } }: Controls,
  running: ReadonlyMap<number, Running>,
): Omit<BackfillProgress, 'doing' | 'waiting' | 'since'> {
  const total = totalOf(state, limits.maxItems, running.values());
  const done = endedIn(state);
  return {
    ...{ done, total, counts: { ...state.counts }, credits: state.credits },
    underWay: [...running.values()].slice(0, SHOWN).map(({ workflowId }) => workflowId),
    ...{
      underWayCount: running.size,
      away: [...running.values()].filter(({ away }) => away).length,
      asking: state.asking,
    },
    ...rateOf(state, total - done + againIn(state, running.values())),
    ...{ paused: paused !== undefined, limits: { ...limits }, folder: state.opened.folder },
  };
}

/** S6: of one that has ended: the first items that have failed, and where all of them stand. */
export function describeFailed({
  failed = [],
  counts,
  files: { ledger },
}: Pick<Concluded, 'failed' | 'counts'> & { files: { quarantine: string; ledger?: string } }): Markdown | undefined {
  if (ledger === undefined) return undefined;
  const items = failed.map(({ id, run, reason = 'unknown' }) => {
    const what = run === undefined ? md`${id}` : linkTo(run);
    return md`${what}: ${reasonInWords(reason)}`;
  });
  const more = counts.failed - items.length;
  const { workflowId } = workflowInfo();
  return bullets(
    md`**${counted(counts.failed, 'item')} failed.** Each stands with its reason in the item ledger, ${code(ledger)} in the storage. ${code(command('backfill status', workflowId))} counts the reasons, and ${code(command('backfill redrive', workflowId))} does what is left:`,
    more > 0 ? [...items, md`and ${grouped(more)} more`] : items,
  );
}

/** @param stands nothing goes on at the moment: a rate says nothing of when the rest ends */
export function describe(
  progress: ReturnType<typeof progressOf>,
  running: ReadonlyMap<number, Running>,
  plan: BackfillPlan,
  stands: boolean,
): Markdown {
  const { done, total, counts, credits, underWayCount, away, asking, perMinute, leftMs, limits, folder } = progress;
  const inOrder = Object.fromEntries(OUTCOMES.map((word) => [word, counts[word]]));
  const pace = limits.itemsPerMinute === null ? '' : `, ${grouped(limits.itemsPerMinute)} begun a minute`;
  const most = limits.maxItems === null ? '' : `, ${counted(limits.maxItems, 'item')}`;
  return paragraphs([
    md`**${grouped(done)} of ${grouped(total)}** ${total === 1 ? 'item' : 'items'}: ${outcomesInWords(inOrder) || 'none ended yet'}; ${grouped(underWayCount)} under way; ${counted(credits, 'credit')} spent.`,
    asking > 0
      ? md`**${grouped(asking)} of those under way wait for a person**; the list filter NeedsPerson = true shows which.`
      : undefined,
    perMinute === undefined
      ? undefined
      : md`${grouped(perMinute)} a minute, about ${formatDuration(leftMs ?? 0)} left at this rate${stands ? ', from when it goes on' : ''}.`,
    sentence(
      `At most ${grouped(limits.window)} at once${pace}${most}, ${grouped(limits.maxCredits)} credits: change it with the update \`changeLimits\`.`,
    ),
    ...describeUnderWay(running.values()),
    onlyWait(away),
    sentence(`Plan: ${plan.text}`),
    md`In the storage: ${folder}`,
  ]);
}
