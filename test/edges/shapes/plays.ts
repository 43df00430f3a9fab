/** What each workflow is to do at the service, and what a right end of it looks like. */
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox';
import type { WorkflowName } from './points';
import { arr, grouped, obj } from './put';
import type { Form, Json, JsonObject } from './wire';

/** A document of the storage. */
export const DOCUMENT = 'brief.md';

/** One case on its stage. */
export interface Staged {
  readonly form: Form;
  readonly workflow: WorkflowName;
  readonly account: string;
  readonly sandbox: Sandbox;
  /** How the service writes an identifier of the sandbox. */
  idOf(id: string): string;
  /** The route that `callApi` calls. */
  readonly call: string | undefined;
  readonly lost: boolean;
  /** Whether the run may ask a person. */
  readonly asks: boolean;
}

export interface Play {
  readonly type: WorkflowName;
  readonly args: JsonObject;
  /** What is paid for, or must not happen twice: how often it happened so far. */
  effects(): number;
  /** How often it happens where all goes well. */
  readonly wanted: number;
  /** What people see of what it became, by the service's identifiers. */
  became(): string[];
  /** @returns what is wrong with the result; nothing where it is right */
  wrong(result: JsonObject): string | undefined;
}

export const sandboxOptions = (form: Form, seed: number): SandboxOptions => ({
  ...{ seed, limits: 'off', leads: 12, projects: 3, captures: 5, credits: 50_000, convertCheck: 'atArrival' },
  durations: {
    convert: 20,
    createProject: 20,
    upload: 20,
    documentAnalysis: 50,
    interviewAnalysis: 50,
    audit: 150,
    extraction: 40,
  },
  ...form.has,
});

type Sent = 'captures.reprocess' | 'readylinks.create' | 'contacts.create' | 'assessmentConfigs.create';

/** The route whose first reply is lost. */
export const LOST: Readonly<Record<WorkflowName, string | undefined>> = {
  convertLead: 'leads.convert',
  leadPipeline: 'leads.convert',
  auditProject: 'projects.create',
  ingestCapture: 'captures.submitNote',
  captureSweep: 'captures.reprocess',
  backfill: 'leads.convert',
  callApi: undefined,
};

/** What `callApi` creates, by route. */
const CREATED: Readonly<Record<string, JsonObject>> = {
  'readylinks.create': { title: 'Spring fair' },
  'contacts.create': { name: 'Carla' },
  'assessmentConfigs.create': { name: 'Spring' },
};
const sent = ({ sandbox }: Staged, route: Sent) => sandbox.control.stats().requests.byRoute[route] ?? 0;
const PRICE = 1000;
/** What so many paid calls cost by the service's replies; one that was lost costs the price. */
export const costs = ({ form, lost }: Pick<Staged, 'form' | 'lost'>, calls: number): number => {
  const says = form.says ?? PRICE;
  return lost && calls > 0 ? PRICE + (calls - 1) * says : calls * says;
};

/** Whether the service refuses what the run is for. */
const refused = ({ form }: Staged) => form.point === 'refusal';

/** Makes the service refuse it, or fail at it. */
export function upset(at: Staged): void {
  if (at.form.fails) at.sandbox.control.failNextJob();
  if (!refused(at)) return;
  at.sandbox.control.setAiKey({ present: false });
  if (at.workflow === 'auditProject') at.sandbox.control.setTier({ tier: 'lead_generation' });
}

const conversions = ({ sandbox }: Staged) => sandbox.control.stats().conversions;
const asList = (...wrong: (string | false | undefined)[]) => wrong.find((one) => typeof one === 'string');

/** The projects that leads became, newest last; the seed's own have no payment. */
function projectsOf({ sandbox, idOf }: Staged, before: ReadonlySet<string>): string[] {
  return sandbox.control
    .projects()
    .filter(({ id }) => !before.has(id))
    .map(({ id }) => idOf(id));
}
const holds = (ids: readonly string[], id: Json | undefined) =>
  typeof id === 'string' && ids.some((one) => one.toLowerCase() === id.toLowerCase());

/** How much longer things may take while others use this machine too. */
export const SLOWER = Math.min(8, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism() / 2));
const PATIENCE = `${Math.ceil(12 * SLOWER)}s`;

function convertLead(at: Staged): Play {
  const before = new Set(at.sandbox.control.projects().map(({ id }) => id));
  const lead = completed(at)[0];
  const became = () => projectsOf(at, before);
  return {
    ...{ type: 'convertLead', wanted: 1, became, effects: () => conversions(at) },
    args: { account: at.account, leadId: at.idOf(lead?.id ?? ''), askPerson: at.asks },
    wrong: ({ outcome, credits, projectId }) =>
      asList(
        outcome !== 'converted' && `outcome ${outcome}`,
        credits !== costs(at, 1) && `${credits} credits`,
        !holds(became(), projectId) && 'the project is not found',
      ),
  };
}

const completed = ({ sandbox }: Staged) =>
  sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
/** A link that some leads came by, and not all. */
function linkOf(at: Staged): { link: string; leads: string[] } {
  const byLink = grouped(completed(at), ({ staticSlugId }) => staticSlugId);
  const [link, leads] = [...byLink].sort(([, a], [, b]) => a.length - b.length)[0] ?? ['', []];
  return { link, leads: leads.map(({ id }) => id) };
}

function manyLeads(
  at: Staged,
): Pick<Play, 'wanted' | 'became' | 'effects'> & { filter: JsonObject; limit: number; strange(): string | false } {
  const before = new Set(at.sandbox.control.projects().map(({ id }) => id));
  const byLink = at.form.point === 'leads.list';
  const { link, leads } = linkOf(at);
  const limit = byLink ? leads.length + 1 : 2;
  const converted = () => at.sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'converted');
  const first = new Set(converted().map(({ id }) => id));
  return {
    ...{
      limit,
      wanted: byLink ? leads.length : 2,
      effects: () => conversions(at),
      became: () => projectsOf(at, before),
    },
    filter: byLink ? { surveyLink: at.idOf(link) } : {},
    strange: () =>
      byLink &&
      converted().some(({ id }) => !first.has(id) && !leads.includes(id)) &&
      'a lead of another link was converted',
  };
}

const SCORING = { minReadiness: 0 };

function leadPipeline(at: Staged): Play {
  const { filter, limit, strange, ...many } = manyLeads(at);
  return {
    ...{ type: 'leadPipeline', ...many },
    args: {
      account: at.account,
      ...filter,
      maxConversions: limit,
      maxCredits: 2 * PRICE * limit,
      concurrency: 1,
      scoring: SCORING,
    },
    wrong: ({ ended, counts, credits, decisions }) => {
      const rows = arr(obj(decisions).value ?? obj(decisions).inline ?? decisions);
      const found = rows.filter((row) => obj(row).outcome === 'converted' && holds(many.became(), obj(row).projectId));
      return asList(
        strange(),
        ended !== 'done' && `ended ${ended}`,
        obj(counts).converted !== many.wanted && `${obj(counts).converted ?? 0} converted`,
        credits !== costs(at, many.wanted) && `${credits} credits`,
        rows.length > 0 && found.length !== many.wanted && 'a project is not found',
      );
    },
  };
}

function backfill(at: Staged): Play | Promise<Play> {
  if (/^capture/.test(at.form.point)) return backfillOfCaptures(at);
  const { filter, limit, strange, ...many } = manyLeads(at);
  return {
    ...{ type: 'backfill', ...many },
    args: {
      ...{ account: at.account, operation: 'convertLead', leads: { ...filter, scoring: SCORING }, window: 1 },
      ...{ maxItems: limit, maxCredits: 2 * PRICE * limit, approval: 'none', defaults: { askPerson: at.asks } },
    },
    wrong: ({ counts, credits }) =>
      asList(
        strange(),
        obj(counts).done !== many.wanted && `counts ${JSON.stringify(counts)}`,
        credits !== costs(at, many.wanted) && `${credits} credits`,
      ),
  };
}

function auditProject(at: Staged): Play {
  const before = new Set(at.sandbox.control.projects().map(({ id }) => id));
  const became = () => projectsOf(at, before);
  return {
    ...{ type: 'auditProject', wanted: 1, became, effects: () => became().length },
    args: {
      account: at.account,
      project: {
        clientName: 'Edge & Sons',
        industry: 'Food',
        companySize: '11-50',
        description: 'What can be automated?',
        currency: 'EUR',
      },
      ...{ documents: [DOCUMENT], askPerson: at.asks },
      ...(at.form.point === 'audit.run' && { mode: 'sync' }),
      ...{ auditDeadline: PATIENCE, prerequisitesDeadline: PATIENCE },
    },
    wrong: ({ outcome, reason, credits, projectId, documents }) => {
      const made = at.sandbox.control.projects().filter(({ id }) => !before.has(id));
      const analyses = made.flatMap(({ id }) => at.sandbox.control.analyses({ projectId: id }));
      return asList(
        outcome !== 'audited' && `outcome ${outcome} (${reason})`,
        credits !== 1000 && `${credits} credits`,
        !holds(became(), projectId) && 'another project is named',
        made.some((project) => project.documents.length !== 1) && 'not one document',
        analyses.length !== (at.form.fails ? 2 : 1) && `${analyses.length} analyses`,
        arr(obj(documents).uploaded).length + arr(obj(documents).found).length !== 1 && 'the document is not told of',
      );
    },
  };
}

function ingestCapture(at: Staged): Play {
  const note = "What we heard: invoices first, and don't forget <approvals> & quotes.";
  const before = new Set(at.sandbox.control.captures().map(({ id }) => id));
  const taken = () => at.sandbox.control.captures().filter(({ id }) => !before.has(id));
  const became = () => taken().map(({ id }) => at.idOf(id));
  const project = at.sandbox.control.projects()[0]?.id ?? '';
  const strange = at.sandbox.control.projects({ user: at.sandbox.otherUserId })[0]?.id ?? '';
  return {
    ...{ type: 'ingestCapture', wanted: 1, became, effects: () => taken().length },
    args: {
      account: at.account,
      note,
      projectId: at.idOf(refused(at) ? strange : project),
      processingDeadline: PATIENCE,
      askPerson: at.asks,
    },
    wrong: ({ outcome, reason, captureId, items }) =>
      asList(
        outcome !== 'processed' && `outcome ${outcome} (${reason})`,
        !holds(became(), captureId) && 'another capture is named',
        obj(items).total !== 4 && at.form.point !== 'capture.get' && `${obj(items).total} items`,
        taken().some(({ projectId }) => projectId !== project) && 'the project of the note is another',
      ),
  };
}

/** Captures of two projects that failed, two each. */
async function failed({ sandbox }: Staged): Promise<{ project: string; captures: string[] }> {
  const [project = '', other = ''] = sandbox.control.projects().map(({ id }) => id);
  for (const [i, projectId] of [project, other, project, other].entries())
    await fetch(`${sandbox.baseUrl}/api/nucleus/capture/note`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: `Minutes ${i} [fails 1]`, projectId }),
    });
  const all = () => sandbox.control.captures().filter(({ rawContent }) => rawContent.startsWith('Minutes'));
  while (all().some(({ status }) => status !== 'failed')) await sleep(20);
  return {
    project,
    captures: all()
      .filter((one) => one.projectId === project)
      .map(({ id }) => id),
  };
}

async function captureSweep(at: Staged): Promise<Play> {
  const { project, captures } = await failed(at);
  return {
    ...{
      type: 'captureSweep',
      wanted: 2,
      effects: () => sent(at, 'captures.reprocess'),
      became: () => captures.map(at.idOf),
    },
    args: { account: at.account, statuses: ['failed'], projectId: at.idOf(project) },
    wrong: ({ ended, counts, total }) => {
      const { reprocessed = 0, unknown = 0 } = obj(counts) as Record<string, number>;
      return asList(
        ended !== 'done' && `ended ${ended} ${JSON.stringify(counts)}`,
        total !== 2 && `${total} captures`,
        reprocessed + unknown !== 2 && `counts ${JSON.stringify(counts)}`,
      );
    },
  };
}

async function backfillOfCaptures(at: Staged): Promise<Play> {
  const { project, captures } = await failed(at);
  return {
    ...{
      type: 'backfill',
      wanted: 2,
      effects: () => sent(at, 'captures.reprocess'),
      became: () => captures.map(at.idOf),
    },
    args: {
      ...{
        account: at.account,
        operation: 'reprocessCapture',
        captures: { projectId: at.idOf(project), status: 'failed' },
      },
      ...{
        window: 1,
        approval: 'none',
        defaults: { askPerson: at.asks, processingDeadline: PATIENCE },
      },
    },
    wrong: ({ counts }) => asList(obj(counts).done !== 2 && `counts ${JSON.stringify(counts)}`),
  };
}

function callApi(at: Staged): Play {
  const { call = '', sandbox, idOf } = at;
  const made = CREATED[call];
  const ofLead = call === 'leads.get' ? completed(at)[0]?.id : undefined;
  const id = /^projects\.(get|update)$/.test(call) ? sandbox.control.projects()[0]?.id : ofLead;
  const body = call === 'projects.update' ? { clientName: 'Edge & Daughters' } : made && refused(at) ? {} : made;
  return {
    ...{ type: 'callApi', wanted: made ? 1 : 0, became: () => [] },
    effects: () => (made && !refused(at) ? sent(at, call as Sent) : 0),
    args: {
      account: at.account,
      route: call,
      ...(id !== undefined && { id: idOf(id) }),
      ...(body && { body }),
      askPerson: at.asks,
    },
    wrong: ({ outcome, reason }) => asList(outcome !== 'done' && `outcome ${outcome} (${reason})`),
  };
}

export const plays: Readonly<Record<WorkflowName, (at: Staged) => Play | Promise<Play>>> = {
  ...{ convertLead, leadPipeline, auditProject, ingestCapture, captureSweep, backfill, callApi },
};
