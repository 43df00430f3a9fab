/** The workflow types that `run` starts: how their input is checked and what a run of each is called. */
import { closest } from 'fastest-levenshtein';
import type { z } from 'zod';
import { parseInput } from '../policy/input';
import { AuditProjectInput } from '../policy/inputs/audit-project';
import { CaptureSweepInput } from '../policy/inputs/capture-sweep';
import { ConvertLeadInput } from '../policy/inputs/convert-lead';
import { IngestCaptureInput } from '../policy/inputs/ingest-capture';
import { LeadPipelineInput } from '../policy/inputs/lead-pipeline';
import { EXIT, Exit } from './exit';

/** A run that is about to start. */
export interface PlannedRun {
  account: string;
  workflowId: string;
  /** For the list of runs in the Web UI. */
  summary: string;
  leadId?: string;
}

interface WorkflowType {
  about: string;
  /** Checks the input. @throws InputError */
  plan(raw: unknown): PlannedRun;
}

const define = <S extends z.ZodType>(
  type: string,
  about: string,
  schema: S,
  plan: (input: z.output<S>) => PlannedRun,
): WorkflowType => ({ about, plan: (raw) => plan(parseInput(schema, raw, type)) });

/** A moment in a workflow ID: readable, sorts by time. */
const stamp = () => new Date().toISOString().replace(/[-:]/g, '').replace('.', '-');

export const WORKFLOW_TYPES: Readonly<Record<string, WorkflowType>> = {
  leadPipeline: define(
    'leadPipeline',
    'takes the survey leads, decides on each, converts the best within a budget',
    LeadPipelineInput,
    ({ account, dryRun, maxCredits }) => ({
      account,
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
      workflowId: `convert-lead.${account}.${leadId}`,
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
      workflowId: `audit-project.${account}.${projectId ?? leadId ?? stamp()}`,
      summary: `Audit ${projectId ? `project ${projectId}` : leadId ? `lead ${leadId}` : 'a new project'}`,
    }),
  ),
  ingestCapture: define(
    'ingestCapture',
    'submits a note, or takes a capture, and follows it to its extracted items',
    IngestCaptureInput,
    ({ account, captureId, reference, noteFile }) => ({
      account,
      workflowId: `ingest-capture.${account}.${captureId ?? reference ?? stamp()}`,
      summary: `Ingest ${captureId ? `capture ${captureId}` : noteFile ? `the note in ${noteFile}` : 'a note'}`,
    }),
  ),
  captureSweep: define(
    'captureSweep',
    'has captures that failed or are stuck extracted again',
    CaptureSweepInput,
    ({ account, dryRun }) => ({
      account,
      workflowId: `capture-sweep.${account}.${stamp()}`,
      summary: `${dryRun ? 'Look for' : 'See to'} captures of ${account} that failed or are stuck`,
    }),
  ),
};

/** The workflow type of this name. */
export function workflowType(name: string): WorkflowType {
  const type = Object.hasOwn(WORKFLOW_TYPES, name) ? WORKFLOW_TYPES[name] : undefined;
  if (type) return type;
  const names = Object.keys(WORKFLOW_TYPES);
  throw new Exit(
    EXIT.badInput,
    `there is no workflow type '${name}'; did you mean '${closest(name, names)}'? There are ${names.join(', ')}.`,
  );
}
