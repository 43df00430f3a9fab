/**
 * S4: a service quotes the caller's token and persons in whatever it answers, to every call that any workflow makes. None of
 * it is anywhere afterwards: not in histories, visibility, pages, logs, metrics, notices, names in the storage, arguments of
 * processes or the terminal.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RouteName } from '../../src/agent-api/routes';
import { packageRoot } from '../../src/temporal/package-root';
import { type QuotedStatus, STATUSES } from './support/quoting';
import { DOCUMENT, onStand, type QuotingStand, type Service } from './support/quoting-stand';

const LIMIT_MS = 600_000;
const unique = () => randomBytes(4).toString('hex');
const scoring = { minReadiness: 0 };

interface Play {
  /** Whose replies it reads at least. */
  routes: readonly RouteName[];
  run(service: Service): readonly [type: string, input: object];
}

const converted = ['leads.get', 'leads.convert'] as const;
const audited = [
  'projects.get',
  'projects.auditAsync',
  'projects.analysis',
  'projects.opportunities',
  'projects.deliverables',
] as const;

/** Each workflow, on its whole way, in an account of its own. */
const PLAYS: Readonly<Record<string, Play>> = {
  conversions: { routes: converted, run: (service) => ['convertLead', { leadId: service.lead() }] },
  pipelines: {
    routes: ['leads.list', ...converted],
    run: () => ['leadPipeline', { maxConversions: 1, scoring }],
  },
  audits: {
    routes: ['projects.list', 'projects.create', 'projects.uploadDocument', 'jobs.get', ...audited],
    run: () => ['auditProject', { project: { clientName: `Client ${unique()}` }, documents: [DOCUMENT] }],
  },
  'sync-audits': {
    routes: [...converted, 'projects.audit', ...audited],
    run: (service) => ['auditProject', { leadId: service.lead(), mode: 'sync' }],
  },
  notes: {
    routes: ['captures.submitNote', 'captures.list', 'captures.get'],
    run: () => ['ingestCapture', { note: `Invoices first. ${unique()}` }],
  },
  sweeps: { routes: ['captures.list'], run: () => ['captureSweep', {}] },
  batches: {
    routes: ['leads.list', ...converted],
    run: () => [
      'backfill',
      { operation: 'convertLead', leads: { scoring }, maxItems: 1, maxCredits: 1_000, approval: 'none' },
    ],
  },
  reads: { routes: ['contacts.list'], run: () => ['callApi', { route: 'contacts.list' }] },
  writes: {
    routes: ['contacts.create'],
    run: () => ['callApi', { route: 'contacts.create', body: { name: 'Ada', email: 'a@b.example' } }],
  },
};

/** Plays a workflow until all calls that it makes were answered by quotes. @returns routes that it should have called */
async function playAll(stand: QuotingStand, service: Service, status: QuotedStatus): Promise<string[]> {
  const { account, front } = service;
  const { routes, run } = PLAYS[account] ?? { routes: [], run: () => ['', {}] };
  front.begin(status);
  for (let before = -1, n = 1; front.quoted().length > before; n++) {
    before = front.quoted().length;
    const [type, input] = run(service);
    await stand.play(type, `${account}-${n}`, { account, ...input });
  }
  const quoted = front.quoted();
  return routes.filter((route) => !quoted.includes(`${route} json`)).map((route) => `${account}: ${route}`);
}

describe.each([
  ['without a key', undefined],
  ['with a key', randomBytes(32).toString('base64')],
])('%s', (_, key) => {
  test.concurrent.each(STATUSES)(
    'replies of status %s that quote token and persons leave no trace of them',
    (status) =>
      onStand({ accounts: Object.keys(PLAYS), key }, async (stand) => {
        const missed = await Promise.all(stand.services.map((service) => playAll(stand, service, status)));
        expect(missed.flat()).toEqual([]);
        for (const { front } of stand.services) front.begin(status);
        for (const command of ['doctor', 'status', 'spend']) await stand.command(command);
        expect(stand.leaks(await stand.places())).toEqual([]);
      }),
    LIMIT_MS,
  );
});

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
