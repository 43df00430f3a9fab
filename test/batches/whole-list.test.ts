/** S6: a batch over leads says where its list is not the whole of what the service counts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Prepared } from '../../activities/backfill-list';
import { createBackfillSourceActivities } from '../../activities/backfill-source';
import type { Deps } from '../../activities/deps';
import { batchPage } from '../../src/batches/approval-page';
import { openStorage } from '../../src/storage';
import { NOTHING_PLANNED } from '../../workflows/backfill/unlisted';
import { endAt, type Listed } from '../../workflows/shared/list-leads';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-runner-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const lead = (id: string) => ({ id, decision: 'candidate', reasons: ['meetsAll'], score: 70 });

async function notesOf(total?: number): Promise<string[]> {
  const deps = { storage: openStorage(`file://${folder}`), accounts: new Map() };
  const { itemsFromPages } = createBackfillSourceActivities(deps as unknown as Deps);
  const pages = [[lead('lead-1'), lead('lead-2')], [lead('lead-2')]].map((inline) => ({ inline }));
  const { notes, needs }: Prepared = await new MockActivityEnvironment().run(() =>
    itemsFromPages({
      ...({ account: 'default', folder: 'batches/b', operation: 'convertLead', defaults: {} } as const),
      pages,
      ...(total !== undefined && { total }),
    }),
  );
  expect(needs.items).toBe(2);
  return notes;
}

test('different leads are compared with the number that the service counts', async () => {
  expect(await notesOf(5)).toEqual([
    '1 lead was listed more than once and counted once.',
    '3 leads were not seen, of 5 that the server counts; another run looks again.',
  ]);
});

test('captures are counted by nobody', async () => expect(await notesOf()).toEqual([]));

test('a list that is read no further says so, and one that ends there does not', () => {
  const read = { pages: [], total: 100, reads: 3, now: 0, rules: {} as Listed['rules'] };
  const listed: Listed = { ...read, notes: ['A note.'], next: { offset: 30 } };
  expect(endAt(listed, 4)).toBe(listed);
  expect(endAt(listed, 3)).toEqual({
    ...read,
    notes: ['A note.', expect.stringContaining('The list goes on after 3 pages')],
  });
  expect(endAt({ ...listed, next: undefined }, 3).notes).toEqual(['A note.']);
});

test('who approves a batch reads it', () => {
  const page = batchPage({
    ...{ plan: NOTHING_PLANNED, listed: 2, first: [], leftOut: {}, quarantined: 0, left: [], isDefaultBudget: false },
    notes: ['3 leads were not seen.'],
    limits: { maxItems: null, maxCredits: 0 },
    compared: { thresholds: { minReadiness: 0 }, price: 0, byDefault: [] },
  });
  expect(page?.source).toContain('About the list:\n\n- 3 leads were not seen.');
});
