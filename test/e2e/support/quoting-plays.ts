/** Each workflow on its whole way, against a service that quotes token and persons in its replies (S4). */
import { randomBytes } from 'node:crypto';
import type { RouteName } from '../../../src/agent-api/routes';
import type { QuotedStatus } from './quoting';
import { DOCUMENT, onStand, type QuotingStand, type Service } from './quoting-stand';

/** A run may be slow to come to a call that it has not made yet; so often in a row it does not, and it never will. */
const IN_VAIN = 3;

const unique = () => randomBytes(4).toString('hex');
const scoring = { minReadiness: 0 };

interface Play {
  /** Whose replies it reads at least. */
  routes: readonly RouteName[];
  run(service: Service): readonly [type: string, input: object];
}

const converted = ['leads.get', 'leads.convert'] as const;
const audited = ['projects.get', 'projects.analysis', 'projects.opportunities', 'projects.deliverables'] as const;

/** Each workflow, on its whole way, in an account of its own. */
const PLAYS: Readonly<Record<string, Play>> = {
  conversions: { routes: converted, run: (service) => ['convertLead', { leadId: service.lead() }] },
  pipelines: {
    routes: ['leads.list', ...converted],
    run: () => ['leadPipeline', { maxConversions: 1, scoring }],
  },
  audits: {
    routes: [
      'projects.list',
      'projects.create',
      'projects.uploadDocument',
      'projects.auditAsync',
      'jobs.get',
      ...audited,
    ],
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
export async function playAll(stand: QuotingStand, service: Service, status: QuotedStatus): Promise<string[]> {
  const { account, front } = service;
  const { routes, run } = PLAYS[account] ?? { routes: [], run: () => ['', {}] };
  const missed = () => routes.filter((route) => !front.quoted().includes(`${route} json`));
  front.begin(status);
  for (let n = 1, inVain = 0; inVain < (missed().length > 0 ? IN_VAIN : 1); n++) {
    const before = front.quoted().length;
    const [type, input] = run(service);
    await stand.play(type, `${account}-${n}`, { account, ...input });
    inVain = front.quoted().length > before ? 0 : inVain + 1;
  }
  return missed().map((route) => `${account}: ${route}`);
}

/** Plays all of them. @returns what of the quotes was found anywhere, and what was not called that should have been */
export const traces = (status: QuotedStatus, key?: string): Promise<{ missed: string[]; found: string[] }> =>
  onStand({ accounts: Object.keys(PLAYS), key }, async (stand) => {
    const missed = await Promise.all(stand.services.map((service) => playAll(stand, service, status)));
    for (const { front } of stand.services) front.begin(status);
    for (const command of ['doctor', 'status', 'spend']) await stand.command(command);
    return { missed: missed.flat(), found: stand.leaks(await stand.places()) };
  });
