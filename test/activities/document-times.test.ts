/** Since when a project has the documents that are found in it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deps } from '../../activities/deps';
import { createDocumentsActivities } from '../../activities/documents';
import { FolderStorage } from '../../src/storage/folder';
import { closeAll } from '../agent-api/server';
import { asActivity, serviceOf } from './service';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-runner-test-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await closeAll();
});

const document = { ref: 'a.txt', fileName: 'a.txt', fileType: 'text/plain', size: 1, nameHash: 'abc' } as const;
const call = { account: 'default', projectId: 'p1', documents: [document] };
const activitiesOf = async (documents: object[] | null) => {
  const { runtime } = await serviceOf(() => ({ id: 'p1', clientName: 'Harbour', documents }));
  const deps = { storage: new FolderStorage(folder), accounts: new Map([['default', runtime]]) };
  return createDocumentsActivities(deps as unknown as Deps);
};
const shown = { id: 'd1', fileName: 'a.txt', uploadStatus: 'uploaded' };

test('as the service shows it', async () => {
  const { documentStates, keepUploaded } = await activitiesOf([{ ...shown, createdAt: '2026-03-02T08:00:00.000Z' }]);
  await keepUploaded({ ...call, document });
  const { states, newestAt } = await asActivity(() => documentStates(call));
  expect({ states, newestAt }).toEqual({ states: ['settled'], newestAt: Date.parse('2026-03-02T08:00:00.000Z') });
});

test.each([
  ['it shows no times', [shown]],
  ['it shows no documents', null],
])('as it is kept, where %s', async (_, documents) => {
  const { documentStates, keepUploaded } = await activitiesOf(documents);
  const before = Date.now();
  expect((await asActivity(() => documentStates(call))).newestAt).toBeUndefined();
  await keepUploaded({ ...call, document });
  const { states, newestAt } = await asActivity(() => documentStates(call));
  expect(states).toEqual(['settled']);
  expect(newestAt).toBeGreaterThanOrEqual(before);
});

test('not of those that are missing', async () => {
  const { documentStates } = await activitiesOf([]);
  expect(await asActivity(() => documentStates(call))).toEqual({ states: ['missing'], strangers: 0 });
});
