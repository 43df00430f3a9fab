/** The workflow types that people and schedules start: how their input is checked and what a run of each is called. */
import type { z } from 'zod';
import { callKey, createsSomething, readCall } from './any-call';
import { parseInput } from './input';
import { AuditProjectInput } from './inputs/audit-project';
import { BackfillInput } from './inputs/backfill';
import { CallApiInput } from './inputs/call-api';
import { CaptureSweepInput } from './inputs/capture-sweep';
import { ConvertLeadInput } from './inputs/convert-lead';
import { IngestCaptureInput } from './inputs/ingest-capture';
import { LeadPipelineInput } from './inputs/lead-pipeline';
import { auditProjectId, convertLeadId, ingestCaptureId } from './run-ids';

/** A run that is about to start. */
export interface PlannedRun {
  account: string;
  workflowId: string;
  /** For the list of runs in the Web UI. */
  summary: string;
  leadId?: string;
  /** It only looks: nothing is written or spent. */
  dryRun?: boolean;
}

export interface WorkflowType {
  about: string;
  /** What its input may hold. */
  schema?: z.ZodType;
  /** Checks the input. @throws InputError */
  plan(raw: unknown): PlannedRun;
}

const define = <S extends z.ZodType>(
  type: string,
  about: string,
  schema: S,
  plan: (input: z.output<S>) => PlannedRun,
): WorkflowType => ({ about, schema, plan: (raw) => plan(parseInput(schema, raw, type)) });

/** A moment in a workflow ID: readable, sorts by time. */
const stamp = () => new Date().toISOString().replace(/[-:]/g, '').replace('.', '-');

export const WORKFLOW_TYPES: Readonly<Record<string, WorkflowType>> = {
  leadPipeline: define(
    'leadPipeline',
    'takes the survey leads, decides on each, converts the best within a budget',
    LeadPipelineInput,
    ({ account, dryRun, maxCredits }) => ({
      ...{ account, dryRun },
      workflowId: `lead-pipeline.${account}.${stamp()}`,
      summary: dryRun
        ? `Plan conversions of account ${account}`
        : `Convert leads of ${account}, up to ${maxCredits} credits`,
    }),
  ),
  convertLead: define(
    'convertLead',
    'converts one lead into a project, once',
    ConvertLeadInput,
    ({ account, leadId }) => ({
      account,
      leadId,
      workflowId: convertLeadId(account, leadId),
      summary: `Convert lead ${leadId}`,
    }),
  ),
  auditProject: define(
    'auditProject',
    'audits a project: from documents in the storage to a report',
    AuditProjectInput,
    ({ account, projectId, leadId }) => ({
      account,
      ...(leadId && { leadId }),
      workflowId: auditProjectId(account, projectId ?? leadId ?? stamp()),
      summary: `Audit ${projectId ? `project ${projectId}` : leadId ? `lead ${leadId}` : 'a new project'}`,
    }),
  ),
  ingestCapture: define(
    'ingestCapture',
    'submits a note, or takes a capture, and follows it to its extracted items',
    IngestCaptureInput,
    ({ account, captureId, reference, noteFile }) => ({
      account,
      workflowId: ingestCaptureId(account, captureId ?? reference ?? stamp()),
      summary: `Ingest ${captureId ? `capture ${captureId}` : noteFile ? `the note in ${noteFile}` : 'a note'}`,
    }),
  ),
  captureSweep: define(
    'captureSweep',
    'has captures that failed or are stuck extracted again',
    CaptureSweepInput,
    ({ account, dryRun }) => ({
      ...{ account, dryRun },
      workflowId: `capture-sweep.${account}.${stamp()}`,
      summary: `${dryRun ? 'Look for' : 'See to'} captures of ${account} that failed or are stuck`,
    }),
  ),
  backfill: define(
    'backfill',
    'does one operation to each of many items: leads, captures, rows of a file, or what failed before',
    BackfillInput,
    ({ account, operation, redriveOf, dryRun }) => ({
      ...{ account, dryRun },
      workflowId: `backfill.${account}.${stamp()}`,
      summary: `${dryRun ? 'Plan a backfill' : 'Backfill'}: ${operation ?? `again what failed in ${redriveOf}`}`,
    }),
  ),
  callApi: {
    about: 'makes any other call of the API; the command `api` shows the routes and the reply',
    schema: CallApiInput,
    plan(raw) {
      const call = readCall(raw);
      const { account, route, id } = call;
      // Equal calls that create something are one; the ledger holds that, the ID only saves work.
      const which = createsSomething(route) ? callKey(call).slice(0, 12) : stamp();
      return {
        account,
        workflowId: `call-api.${account}.${route}.${which}`,
        summary: `Call ${route}${id === undefined ? '' : ` ${id}`}`,
      };
    },
  },
};
