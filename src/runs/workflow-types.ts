/**
 * The registry of the workflow types that people and schedules start. Whatever has an entry for each of them is keyed by
 * {@link WorkflowName}, so that the compiler names what a new type lacks.
 */
import type { z } from 'zod';
import { callKey, createsSomething, readCall } from '../inputs/any-call';
import { AuditProjectInput } from '../inputs/audit-project';
import { BackfillInput } from '../inputs/backfill';
import { CallApiInput } from '../inputs/call-api';
import { CaptureSweepInput } from '../inputs/capture-sweep';
import { ConvertLeadInput } from '../inputs/convert-lead';
import { IngestCaptureInput } from '../inputs/ingest-capture';
import { LeadPipelineInput } from '../inputs/lead-pipeline';
import { parseInput } from '../inputs/parse-input';
import { inline } from '../text/markdown';
import { clip } from '../text/printable';
import { auditProjectId, convertLeadId, ingestCaptureId } from './run-ids';
import { summaries } from './summaries';

/** A run that is about to start. */
export interface PlannedRun {
  account: string;
  workflowId: string;
  /** What it is for, as the Web UI shows it: Markdown. */
  summary: string;
  leadId?: string;
  /** It only looks: nothing is written or spent. */
  dryRun?: boolean;
}

export interface WorkflowType {
  /** What a run of it is, for people. */
  title: string;
  /** What it does, going on from its name. */
  about: string;
  /** What its input may hold. */
  schema: z.ZodType;
  /**
   * Stands in the start form that the page `startHere` opens, beside the account. Whoever starts it unchanged changes nothing
   * and spends nothing: it only plans, or names something that is not there. Nothing in it is secret: example runs keep it
   * readable, also where encryption is on.
   */
  example: Readonly<Record<string, unknown>>;
  /** Its runs themselves send what costs or must not happen twice: where a ledger was lost, they tell that there was one. */
  sends: boolean;
  /** Checks the input. @throws InputError */
  plan(raw: unknown): PlannedRun;
}

type Facts = Pick<WorkflowType, 'title' | 'about' | 'example' | 'sends'>;

const define = <S extends z.ZodType>(
  type: string,
  facts: Facts,
  schema: S,
  plan: (input: z.output<S>) => PlannedRun,
): WorkflowType => ({ ...facts, schema, plan: (raw) => shown(plan(parseInput(schema, raw, type))) });

/** The server takes 400 bytes of a summary. */
const LONGEST_SUMMARY = 80;

/** A summary holds IDs and names of files that others chose. */
const shown = (run: PlannedRun): PlannedRun => ({ ...run, summary: inline(clip(run.summary, LONGEST_SUMMARY)) });

/** Stands for an ID that a person puts in. */
const SOME_ID = '00000000-0000-4000-8000-000000000000';

/** A moment in a workflow ID: readable, sorts by time. */
const stamp = () => new Date().toISOString().replace(/[-:]/g, '').replace('.', '-');

const TYPES = {
  leadPipeline: define(
    'leadPipeline',
    {
      title: 'Lead pipeline',
      about: 'takes the survey leads, decides on each, converts the best within a budget',
      // Whoever takes away `dryRun` alone is asked before anything is spent.
      example: { dryRun: true, maxConversions: 5, approval: 'all' },
      sends: false,
    },
    LeadPipelineInput,
    (input) => ({
      ...{ account: input.account, dryRun: input.dryRun },
      workflowId: `lead-pipeline.${input.account}.${stamp()}`,
      summary: summaries.leadPipeline(input),
    }),
  ),
  convertLead: define(
    'convertLead',
    {
      title: 'Conversion of a lead',
      about: 'converts one lead into a project, once',
      example: { leadId: SOME_ID },
      sends: true,
    },
    ConvertLeadInput,
    ({ account, leadId }) => ({
      account,
      leadId,
      workflowId: convertLeadId(account, leadId),
      summary: summaries.convertLead({ leadId }),
    }),
  ),
  auditProject: define(
    'auditProject',
    {
      title: 'Audit',
      about: 'audits a project: from documents in the storage to a report',
      example: { projectId: SOME_ID, documents: ['documents/interview.pdf'] },
      sends: true,
    },
    AuditProjectInput,
    ({ account, projectId, leadId }) => ({
      account,
      ...(leadId && { leadId }),
      workflowId: auditProjectId(account, projectId ?? leadId ?? stamp()),
      summary: summaries.auditProject({ projectId, leadId }),
    }),
  ),
  ingestCapture: define(
    'ingestCapture',
    {
      title: 'Note or capture',
      about: 'submits a note, or takes a capture, and follows it to its extracted items',
      example: { noteFile: 'notes/meeting.txt' },
      sends: true,
    },
    IngestCaptureInput,
    ({ account, captureId, reference, noteFile }) => ({
      account,
      workflowId: ingestCaptureId(account, captureId ?? reference ?? stamp()),
      summary: summaries.ingestCapture({ captureId, noteFile }),
    }),
  ),
  captureSweep: define(
    'captureSweep',
    {
      title: 'Sweep of captures',
      about: 'has captures that failed or are stuck extracted again',
      example: { dryRun: true },
      sends: true,
    },
    CaptureSweepInput,
    ({ account, dryRun }) => ({
      ...{ account, dryRun },
      workflowId: `capture-sweep.${account}.${stamp()}`,
      summary: summaries.captureSweep({ account, dryRun }),
    }),
  ),
  backfill: define(
    'backfill',
    {
      title: 'Batch',
      about: 'does one operation to each of many items: leads, captures, rows of a file, or what failed before',
      example: { operation: 'convertLead', leads: {}, dryRun: true },
      sends: false,
    },
    BackfillInput,
    ({ account, operation, redriveOf, dryRun }) => ({
      ...{ account, dryRun },
      workflowId: `backfill.${account}.${stamp()}`,
      summary: summaries.backfill({ operation, redriveOf, dryRun }),
    }),
  ),
  callApi: {
    title: 'Call of the API',
    about: 'makes any other call of the API and shows the reply',
    example: { route: 'contacts.list', query: { limit: 5 } },
    sends: true,
    schema: CallApiInput,
    plan(raw: unknown) {
      const call = readCall(raw);
      const { account, route, id } = call;
      // Equal calls that create something are one; the ledger holds that, the ID only saves work.
      const which = createsSomething(route) ? callKey(call).slice(0, 12) : stamp();
      return shown({
        account,
        workflowId: `call-api.${account}.${route}.${which}`,
        summary: summaries.callApi({ route, id }),
      });
    },
  },
} satisfies Record<string, WorkflowType>;

export type WorkflowName = keyof typeof TYPES;

export const WORKFLOW_TYPES: Readonly<Record<WorkflowName, WorkflowType>> = TYPES;

/** The summary of a run that was started from the form; right for any of its type, since the form copies it from run to run. */
export const formSummary = (type: WorkflowName): string => `${WORKFLOW_TYPES[type].title}, started from the form`;

export const isWorkflowName = (name: string): name is WorkflowName => Object.hasOwn(TYPES, name);
