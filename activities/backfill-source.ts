/** Where the items of a backfill come from: a file, pages of the API, an earlier backfill. Each is read as a stream. */

import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { idKey } from '../src/agent-api/id';
import { plainWord } from '../src/agent-api/shape';
import type { ShownItem } from '../src/batches/approval-page';
import { applyColumns, mapColumns } from '../src/batches/columns';
import { type Row, readCsv, readJsonl } from '../src/batches/item-rows';
import { type Checked, checkAgain, checkRow, type Listed } from '../src/batches/items';
import { UnreadableFile } from '../src/batches/lines';
import { type BackfillInput, formatOf, type Operation } from '../src/inputs/backfill';
import { WRONG_INPUT } from '../src/inputs/parse-input';
import { listNotes } from '../src/leads/selection';
import { FailureType } from '../src/runs/failure-types';
import { type Storage, StorageError } from '../src/storage';
import { firstMade } from '../src/storage/first-made';
import { type InlineOrStored, openEach } from '../src/storage/inline-or-stored';
import { givenRef } from '../src/storage/of-account';
import { counted } from '../src/text/numbers';
import { tellOf } from './backfill-about';
import { placesOf } from './backfill-ledger';
import { type Candidate, ITEMS, type ListMade, type Prepared, readList, writeList } from './backfill-list';
import { listCaptures } from './capture-list';
import { type Deps, runtimeOf } from './deps';
import { creditsLeft } from './left';
import { keepPage, type ListPlace, requireWhole } from './list-pages';

/** A list to be made. */
export interface Making {
  account: string;
  folder: string;
  operation: Operation;
  defaults: BackfillInput['defaults'];
  /** Nothing of it is begun. @default false */
  dryRun?: boolean;
}

/** Of a page: leads with what the rules decided, captures as they are. */
const PageRow = z.object({
  id: z.string(),
  decision: z.string().optional(),
  reasons: z.array(z.string()).readonly().optional(),
  ...{ name: z.string().optional(), readiness: z.number().optional(), composite: z.number().optional() },
  score: z.number().nullish(),
});
type PageRow = z.output<typeof PageRow>;

const KEPT = 'This run was reset, and keeps to the list that it made first. For another list, start another run.';

/** What is read back is what was written. */
const KeptList = z.custom<ListMade>(
  (list) =>
    z.object({ needs: z.object({ items: z.int() }), quarantined: z.int(), notes: z.array(z.string()) }).safeParse(list)
      .success,
);

export function createBackfillSourceActivities(deps: Deps) {
  const { storage } = deps;

  return {
    /** Makes the list from a file of the storage. Streams; repeatable. No call of the API. */
    async itemsFromFile({ file, ...making }: Making & { file: NonNullable<BackfillInput['file']> }): Promise<Prepared> {
      const notes: string[] = [];
      const mapping = { now: mapColumns(making.operation, undefined, file.columns) };
      const use = (header: readonly string[]) => {
        mapping.now = mapColumns(making.operation, header, file.columns);
        if (mapping.now.problems.length > 0) throw wrongInput(...mapping.now.problems.map((one) => `file: ${one}`));
        const { ignored } = mapping.now;
        if (ignored.length > 0)
          notes.push(
            `${counted(ignored.length, 'column')} of the file ${ignored.length === 1 ? 'is' : 'are'} no field and ${ignored.length === 1 ? 'was' : 'were'} not read.`,
          );
      };
      const format = file.format ?? formatOf(file.ref);
      if (mapping.now.problems.length > 0 && format === 'jsonl' && file.columns)
        throw wrongInput(...mapping.now.problems.map((one) => `file: ${one}`));
      const open = () =>
        givenRef(storage, making.account, file.ref)
          .then((ref) => storage.read(ref))
          .catch((error) => {
            if (error instanceof StorageError && error.kind !== 'unusable')
              throw wrongInput(`file.ref: ${error.message}`);
            throw error;
          });
      const delimiter = file.delimiter ?? (/\.tsv$/i.test(file.ref) ? '\t' : ',');
      const read = (row: Extract<Row, { values: unknown }>) =>
        format === 'csv' || file.columns ? applyColumns(mapping.now, row.values) : row.values;
      async function* candidates(): AsyncGenerator<Candidate> {
        const bytes = await open();
        for await (const row of format === 'csv' ? readCsv(bytes, delimiter, use) : readJsonl(bytes)) {
          if ('problem' in row) yield row;
          else yield await candidate(storage, making, checkRow(making, read(row)), row.line);
        }
      }
      try {
        return await make(making, candidates(), notes);
      } catch (error) {
        if (error instanceof UnreadableFile) throw wrongInput(`file cannot be read: ${error.message}.`);
        throw error;
      }
    },

    /** GET one page of captures; of each only the identifier is kept (S4). */
    async listCapturePage(call: {
      account: string;
      filter: NonNullable<BackfillInput['captures']>;
      place: ListPlace;
      ref: string;
    }): Promise<{ page: InlineOrStored<PageRow[]>; next?: ListPlace }> {
      const { status, channel, projectId } = call.filter;
      const filter = { ...(status && { status }), ...(channel && { channel }), project: projectId };
      const page = await listCaptures(runtimeOf(deps, call.account), filter, call.place);
      requireWhole('captures', call.place, page);
      const { items, next } = page;
      // What changes may be listed as it was before; and a service may not know the filter.
      const meant = items.flatMap(({ id, status: shown, channel: from }): PageRow[] => {
        if (channel && !isOf(from, channel)) return [];
        if (status && !shown) return [{ id, decision: 'skip', reasons: ['statusUnknown'] }];
        return !status || shown === status ? [{ id }] : [];
      });
      const { account, ref, place } = call;
      return {
        page: await keepPage(storage, { account, ref, place, following: next }, meant),
        ...(next !== undefined && { next }),
      };
    },

    /**
     * Makes the list from the pages of leads or captures. No call of the API.
     * @param call.total how many leads the service said that there are; absent of captures, and in runs of before
     */
    async itemsFromPages(call: Making & { pages: InlineOrStored<PageRow[]>[]; total?: number }): Promise<Prepared> {
      const { pages, total, ...making } = call;
      const notes: string[] = [];
      const key = making.operation === 'convertLead' || making.operation === 'auditProject' ? 'leadId' : 'captureId';
      async function* candidates(): AsyncGenerator<Candidate> {
        const seen = new Set<string>();
        let repeated = 0;
        for (const page of pages)
          for await (const row of openEach(storage, page, PageRow)) {
            const { id, decision, reasons } = row;
            // Offsets move while a list is read: what is seen again is no news.
            if (seen.has(idKey(id))) {
              repeated++;
              continue;
            }
            seen.add(idKey(id));
            if (decision === 'skip') yield { left: reasons?.[0] ?? 'skip' };
            else yield { ...(await candidate(storage, making, checkRow(making, { [key]: id }), 0)), ...leadIn(row) };
          }
        if (total !== undefined) notes.push(...listNotes(seen.size, { repeated, totals: [total] }));
      }
      return await make(making, candidates(), notes);
    },

    /** Makes the list from what an earlier backfill has left. No call of the API. */
    async itemsFromEarlier(call: Making & { earlier: Listed; outcomes: readonly string[] }): Promise<Prepared> {
      const { earlier, outcomes, ...making } = call;
      const defaults = { ...earlier.defaults, ...making.defaults };
      const places = await placesOf(storage, earlier.folder, earlier.items, outcomes, 'skipped', earlier.parts);
      async function* candidates(): AsyncGenerator<Candidate> {
        for await (const item of readList(storage, { folder: earlier.folder, list: ITEMS, size: earlier.items })) {
          if (!places.has(item.n)) continue;
          const { n: _, ...same } = item;
          const checked = checkAgain(making, item, earlier.defaults);
          if ('problem' in checked) yield { line: item.line ?? 0, problem: `${item.id}: ${checked.problem}` };
          else yield { ...same, input: checked.input };
        }
      }
      return await make({ ...making, defaults }, candidates());
    },
  };

  /** @param notes on the source, complete once the candidates were read */
  async function make(making: Making, candidates: AsyncIterable<Candidate>, notes: string[] = []): Promise<Prepared> {
    const { folder, operation, account, defaults, dryRun } = making;
    const write = async () => {
      const list = await writeList(storage, { folder, list: ITEMS, operation }, candidates);
      return { ...list, notes };
    };
    const place = `${folder}/list.json`;
    const { made, isEarlier } = await firstMade(storage, place, KeptList, write, ({ needs }) => needs.items > 0);
    const { attempt, workflowExecution: run } = Context.current().info;
    const about = { folder, account, operation, items: made.needs.items, defaults, ...(dryRun && { dryRun }) };
    await tellOf(storage, about, run?.workflowId ?? '');
    const told = isEarlier && attempt === 1 ? [...made.notes, KEPT] : made.notes;
    return { ...made, notes: told, mayBeSpent: await creditsLeft(deps, account) };
  }
}

/** What is shown of a row that is a lead. */
const leadIn = ({ decision, name, readiness, composite, score = null }: PageRow): Pick<ShownItem, 'lead'> =>
  decision === undefined
    ? {}
    : {
        lead: {
          ...{ score, reasons: ['meetsAll'] },
          ...(name !== undefined && { name }),
          ...(readiness !== undefined && { readiness }),
          ...(composite !== undefined && { composite }),
        },
      };

const isOf = (channel: string | null | undefined, wanted: string) => !channel || plainWord(channel) === wanted;

/** A note's text goes into a file of its own. */
async function candidate(storage: Storage, { folder }: Making, checked: Checked, line: number): Promise<Candidate> {
  if ('problem' in checked) return { line, problem: checked.problem };
  const { note, id, workflowId, input } = checked;
  const at = line > 0 && { line };
  if (note === undefined) return { ...at, id, workflowId, input };
  const { note: _, ...rest } = input;
  const { ref } = await storage.write(`${folder}/notes/${id}.txt`, note, { contentType: 'text/plain' });
  return { ...at, id, workflowId, input: { ...rest, noteFile: ref } };
}

/** The input names something that cannot be used; trying again changes nothing. */
export const wrongInput = (...problems: string[]) =>
  ApplicationFailure.nonRetryable(`backfill ${WRONG_INPUT} ${problems.join(' ')}`, FailureType.badInput, problems);
