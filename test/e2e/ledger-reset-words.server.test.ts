/** S8: a ledger that was reset hears once more what people said to it, in any order: of that the word said last counts, once. */
import { linesOf } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import { adjustUpdate, booksQuery, setBudgetUpdate, statusQuery } from '../../src/ledger/messages';
import { openStorage } from '../../src/storage';
import { onStage, type Stage } from '../support/stage';
import { until } from '../support/until';
import { resetToFirst, resetToLast } from './support/reset';

const ledgerOf = (stage: Stage) => stage.temporal.client.workflow.getHandle(stage.ledgerId);
const isOpen = async (stage: Stage) =>
  (await ledgerOf(stage)
    .query(booksQuery)
    .catch(() => null)) !== null;
const said = (reason: string): { args: [{ reason: string; by: string }] } => ({ args: [{ reason, by: 'Ann' }] });

/** Resets a ledger, and waits until its books are open again and what came later was told once more. */
async function reset(stage: Stage, to: typeof resetToFirst): Promise<void> {
  const { runId } = await ledgerOf(stage).describe();
  await to(stage, stage.ledgerId);
  await until(async () => (await ledgerOf(stage).describe()).runId !== runId);
  await until(() => isOpen(stage));
}

async function acts(stage: Stage): Promise<string[]> {
  const found: string[] = [];
  const user = stage.ledgerId.slice('account-ledger.'.length);
  for await (const { entry } of linesOf(openStorage(`file://${stage.folder}/storage`), user, new Standing('UTC')))
    if (entry.kind === 'act') found.push(entry.update);
  return found;
}

const known = async (stage: Stage) => {
  const { holds, spentToday, budget } = await ledgerOf(stage).query(statusQuery);
  const state = await ledgerOf(stage).query(booksQuery);
  return { holds: holds.map(({ reason }) => reason), spentToday, perDay: budget.perDay, acts: state?.actions?.length };
};

test.each([
  ['on hold since a release', ['release', 'hold'], ['on hold since a release']],
  ['released since a hold', ['hold', 'release'], []],
] as const)(
  'an account that is %s is so after a reset of its ledger, and nothing is done twice',
  (reason, words, holds) =>
    onStage({ sandbox: { leads: 0 }, account: { budget: { perDay: 50_000 } } }, async (stage) => {
      await stage.startWorker();
      await until(() => isOpen(stage));
      const ledger = ledgerOf(stage);
      for (const perDay of [10_000, 20_000])
        await ledger.executeUpdate(setBudgetUpdate, { args: [{ perDay, reason }] });
      await ledger.executeUpdate(setBudgetUpdate, { args: [{ perDay: 5_000, reason }] });
      for (const credits of [700, -300]) await ledger.executeUpdate(adjustUpdate, { args: [{ credits, reason }] });
      for (const word of words) await ledger.executeUpdate<unknown, [object]>(word, said(reason));
      await until(async () => (await acts(stage)).length === 7);
      const before = await known(stage);
      expect(before).toEqual({ holds, spentToday: 400, perDay: 5_000, acts: 7 });
      for (const to of [resetToFirst, resetToLast]) {
        await reset(stage, to);
        expect(await known(stage)).toEqual(before);
      }
      // What is said from then on counts.
      await ledger.executeUpdate<unknown, [object]>('release', said('looked'));
      await ledger.executeUpdate(adjustUpdate, { args: [{ credits: 100, reason }] });
      await until(async () => (await acts(stage)).length >= 9);
      expect(await known(stage)).toMatchObject({ holds: [], spentToday: 500, acts: 9 });
      expect(await acts(stage)).toHaveLength(9);
    }),
  240_000,
);
