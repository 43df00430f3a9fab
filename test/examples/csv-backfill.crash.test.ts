import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { played } from './played';

test('csv-backfill plans, converts the leads of its file, sets a row aside, and does nothing twice', async () => {
  const { stdout, folder } = await played('csv-backfill');
  expect(stdout).toContain('6 items for 6,000 credits');
  expect(stdout).toContain('done: convertLead for 7 items: 5 done, 1 done already, 1 quarantined; 5,000 credits spent');
  expect(stdout).toContain('done: convertLead for 7 items: 6 done already, 1 quarantined; 0 credits spent');
  expect(stdout).toContain("seen: 5000 credits were spent, by the service's own count");
  const [, ledger = ''] = /cat (storage\/\S+\/ledger\.jsonl)/.exec(stdout) ?? [];
  expect(readFileSync(join(folder, ledger), 'utf8').trim().split('\n')).toHaveLength(7);
});
