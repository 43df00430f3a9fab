/** An audit from documents in a bucket to a report in the bucket. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { print } from '../../src/cli/output';
import { openStorage, type Storage } from '../../src/storage';
import { packageRoot } from '../../src/temporal/package-root';
import { type Example, seen } from '../example';
import { exampleStorage } from './storage';

const DOCUMENTS = join(packageRoot(), 'examples', 'audits-with-documents', 'documents');

export const auditsWithDocuments: Example = {
  // Nobody is there to hold interviews: they take place by themselves.
  sandbox: { durations: { interviewAnalysis: 30_000 } },
  storage: exampleStorage,
  async play({ command, bring, keep, sandbox, storageUrl }) {
    const storage = openStorage(storageUrl);
    for (const name of readdirSync(DOCUMENTS))
      await storage.write(`harbour/${name}`, readFileSync(join(DOCUMENTS, name)));
    for (const input of ['note.json', 'audit.json']) bring(input);
    print(`\n${storage.describe()} has ${(await refsIn(storage, 'harbour/')).join(', ')}`);

    const note = await command(['run', 'ingestCapture', '--input', '@note.json']);
    const audit = await command(['run', 'auditProject', '--input', '@audit.json']);
    const [, url = ''] = /^report +(\S+)/m.exec(audit) ?? [];
    const again = await command(['run', 'auditProject', '--input', '@audit.json']);
    await command(['spend']);

    const results = await refsIn(storage, 'accounts/default/audits/');
    print(`\n${storage.describe()} has now\n${results.map((ref) => `  ${ref}`).join('\n')}`);
    const report = results.find((ref) => ref.endsWith('/report.html'));
    const html = report === undefined ? '' : await text(await storage.read(report));
    print(`\nThe report, to open in a browser: ${keep('report.html', html)}`);

    const { creditsSpent, paidTwice } = sandbox.control.stats();
    seen(
      ['the note was taken in, and items extracted from it', /^outcome +processed$/m.test(note)],
      ['two documents were read from the storage and uploaded', audit.includes('2 uploaded')],
      [`the report is in the storage: ${url}`, html.includes('Harbour Logistics')],
      ['started again, the audit uploaded and paid nothing', /0 uploaded/.test(again) && /^credits +0$/m.test(again)],
      ['one project was paid for, once', creditsSpent[sandbox.userId] === 1_000 && paidTwice.length === 0],
    );
  },
};

async function refsIn(storage: Storage, prefix: string): Promise<string[]> {
  const refs: string[] = [];
  for await (const { ref } of storage.list(prefix)) refs.push(ref);
  return refs;
}
