/**
 * S4: a service quotes the caller's token and persons in whatever it answers, to every call that any workflow makes. None of
 * it is anywhere afterwards: not in histories, visibility, pages, logs, metrics, notices, names in the storage, arguments of
 * processes or the terminal.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';
import { STATUSES } from './support/quoting';
import { playAll, traces } from './support/quoting-plays';
import { onStand } from './support/quoting-stand';

const LIMIT_MS = 900_000;

test.concurrent.each(STATUSES)(
  'replies of status %s that quote token and persons leave no trace of them',
  async (status) => expect(await traces(status)).toEqual({ missed: [], found: [] }),
  LIMIT_MS,
);

// All of them: canaries.long.
test.concurrent.each([200, 'garbage'] as const)(
  'with a key: replies of status %s leave no trace either',
  async (status) => {
    const key = randomBytes(32).toString('base64');
    expect(await traces(status, key)).toEqual({ missed: [], found: [] });
  },
  LIMIT_MS,
);

test(
  'negative control: where texts of the service are not looked through, the token is found',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-runner-test-'));
    const hook = join(folder, 'trusting.js');
    const redaction = JSON.stringify(join(packageRoot(), 'dist', 'src', 'redact.js'));
    writeFileSync(hook, `Object.assign(require(${redaction}), { hasToken: () => false, redactText: (text) => text });`);
    await onStand({ accounts: ['conversions'], env: { NODE_OPTIONS: `--require ${hook}` } }, async (stand) => {
      for (const service of stand.services) await playAll(stand, service, 400);
      const found = stand.leaks(await stand.places());
      expect(found).toContain('the token: log');
    });
    rmSync(folder, { recursive: true });
  },
  LIMIT_MS,
);
