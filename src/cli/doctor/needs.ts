/** Whether an account's token and plan suffice for what is configured to run on it, by the table of routes. Pure. */
import { auditCapable } from '../../agent-api/account-replies';
import { type Route, type RouteName, routes } from '../../agent-api/routes';
import type { Undocumented } from '../../agent-api/undocumented';
import type { Pipeline } from '../../config';
import { readCall } from '../../inputs/any-call';
import { AuditProjectInput } from '../../inputs/audit-project';
import { BackfillInput, type Operation } from '../../inputs/backfill';
import { CaptureSweepInput } from '../../inputs/capture-sweep';
import { IngestCaptureInput } from '../../inputs/ingest-capture';
import { LeadPipelineInput } from '../../inputs/lead-pipeline';
import type { WorkflowName } from '../../runs/workflow-types';
import { area, type Check } from './check';

/** What the account has shown; undefined where it has not. */
export interface Shown {
  mayWrite?: boolean;
  tier?: string;
}

export type Planned = Pick<Pipeline, 'name' | 'workflow' | 'input'>;

const audit = (mode: 'async' | 'sync', documents: readonly unknown[]): RouteName[] => [
  ...(documents.length > 0 ? (['projects.uploadDocument'] as const) : []),
  mode === 'async' ? 'projects.auditAsync' : 'projects.audit',
];

const OF_OPERATION: Readonly<Record<Operation, readonly RouteName[]>> = {
  convertLead: ['leads.convert'],
  auditProject: ['projects.create', 'projects.auditAsync'],
  ingestCapture: ['captures.submitNote', 'captures.reprocess'],
  reprocessCapture: ['captures.reprocess'],
};

/** The routes beside reads that a run calls, as far as its input tells. */
const WRITES: Readonly<Record<WorkflowName, (input: unknown) => readonly RouteName[]>> = {
  leadPipeline(raw) {
    const { dryRun, then, audit: how } = LeadPipelineInput.parse(raw);
    if (dryRun) return [];
    return ['leads.convert', ...(then === 'audit' ? audit(how?.mode ?? 'async', how?.documents ?? []) : [])];
  },
  convertLead: () => ['leads.convert'],
  auditProject(raw) {
    const { project, mode, documents } = AuditProjectInput.parse(raw);
    return [...(project ? (['projects.create'] as const) : []), ...audit(mode, documents)];
  },
  ingestCapture(raw) {
    const { captureId } = IngestCaptureInput.parse(raw);
    return captureId === undefined ? OF_OPERATION.ingestCapture : OF_OPERATION.reprocessCapture;
  },
  captureSweep: (raw) => (CaptureSweepInput.parse(raw).dryRun ? [] : ['captures.reprocess']),
  backfill(raw) {
    const { operation, leads, dryRun } = BackfillInput.parse(raw);
    if (dryRun || operation === undefined) return [];
    return operation === 'auditProject' && leads ? ['projects.auditAsync'] : OF_OPERATION[operation];
  },
  callApi: (raw) => [readCall(raw).route],
};

/** One check for each pipeline of an account; without any, for the workflow that people start first. */
export function checkNeeds(
  account: string,
  planned: readonly Planned[],
  shown: Shown,
  undocumented: Undocumented,
): Check[] {
  if (planned.length === 0) return [check(account, 'workflow leadPipeline', 'leadPipeline', {}, shown, undocumented)];
  return planned.map(({ name, workflow, input }) =>
    check(account, `pipeline ${name}`, workflow, input, shown, undocumented),
  );
}

function check(
  account: string,
  name: string,
  workflow: WorkflowName,
  input: Planned['input'],
  { mayWrite, tier }: Shown,
  undocumented: Undocumented,
): Check {
  const { ok, wrong, unknown } = area(`account ${account}`);
  const needed = WRITES[workflow](input);
  const those = (which: (route: Route) => boolean) => needed.filter((route) => which(routes[route])).join(', ');
  const writing = those(({ scope }) => scope === 'write');
  const audits = those(({ plan }) => plan === 'audit');
  const capable = tier === undefined ? undefined : auditCapable(tier, undocumented);
  if (writing === '') return ok(name, `${workflow} only reads here: the scope read and any plan will do`);
  if (mayWrite === false)
    return wrong(
      name,
      `${writing} needs the scope write, which the token lacks`,
      'create a token with the scopes read and write',
    );
  if (audits !== '' && capable === false)
    return wrong(
      name,
      `${audits} needs an audit-capable plan, and '${tier}' is none`,
      "change the plan; or, where this one may, name it in 'undocumented.account.auditTiers'",
    );
  if (mayWrite === undefined || (audits !== '' && tier === undefined))
    return unknown(name, `whether token and plan suffice for ${writing} was not seen`);
  if (audits !== '' && capable === undefined)
    return unknown(
      name,
      `${audits} needs an audit-capable plan; whether '${tier}' is one nobody shows: when it is known to be, name it in 'undocumented.account.auditTiers'`,
    );
  return ok(name, `scope and plan suffice for ${writing}`);
}
