/** Pipelines with everything resolved, their inputs checked as the workflows themselves do. */
import { closest } from 'fastest-levenshtein';
import type { z } from 'zod';
import { describable } from '../inputs/allowed';
import { InputError } from '../inputs/parse-input';
import { redactText } from '../redact';
import { isWorkflowName, WORKFLOW_TYPES, type WorkflowName } from '../runs/workflow-types';
import type { Account } from './account';
import type { Overlap, PipelineFile } from './pipeline-file';

/** What runs on a schedule. Durations are milliseconds. */
export interface Pipeline {
  readonly name: string;
  readonly account: string;
  readonly workflow: WorkflowName;
  /** As the run gets it: with the account, and a place in line where the workflow has one. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Empty where `every` says when. */
  readonly cron: readonly string[];
  readonly every?: number;
  readonly offset: number;
  readonly timeZone: string;
  readonly jitter: number;
  readonly overlap: Overlap;
  readonly catchupWindow: number;
  readonly paused: boolean;
  readonly description?: string;
  /** Place in line, 1 first: a person's run before a scheduled one before a backfill. */
  readonly priority: number;
}

/** Of scheduled runs, unless their input or their workflow puts them further back. */
const SCHEDULED = 3;

/** The pipelines that can be used, and a sentence for each problem of the others. */
export function resolvePipelines(
  written: Readonly<Record<string, PipelineFile>>,
  accounts: Readonly<Record<string, Account>>,
): { pipelines: Record<string, Pipeline>; problems: string[] } {
  const pipelines: Record<string, Pipeline> = {};
  const problems: string[] = [];
  for (const [name, file] of Object.entries(written)) {
    const { workflow } = file;
    const type = isWorkflowName(workflow) ? workflow : undefined;
    const named = file.account ?? file.input.account ?? 'default';
    const account = typeof named === 'string' && Object.hasOwn(accounts, named) ? accounts[named] : undefined;
    const wrong = [
      ...(type
        ? inputProblems(WORKFLOW_TYPES[type].plan, { ...file.input, account: named })
        : [unknownWorkflow(workflow)]),
      ...(account || typeof named !== 'string' ? [] : [unknownAccount(named, Object.keys(accounts))]),
      ...(file.account !== undefined && (file.input.account ?? named) !== named
        ? ['account: the input names another account; give one of them']
        : []),
    ].map((problem) => `pipelines.${name}.${problem}`);
    if (holdsToken(file)) wrong.push(`pipelines.${name}: a token does not belong here, where Temporal would show it`);
    problems.push(...wrong);
    if (type && account && wrong.length === 0) pipelines[name] = resolve(name, type, file, account);
  }
  return { pipelines, problems };
}

function resolve(name: string, workflow: WorkflowName, file: PipelineFile, account: Account): Pipeline {
  const preset = presetPriority(WORKFLOW_TYPES[workflow].schema);
  const { priority: own } = file.input;
  const priority = typeof own === 'number' ? own : Math.max(SCHEDULED, preset ?? SCHEDULED);
  const { cron = [], every, offset = 0, jitter, overlap, catchupWindow, paused, description } = file;
  return {
    ...{ name, workflow, cron, offset, jitter, overlap, catchupWindow, paused, priority },
    account: account.name,
    input: { ...file.input, account: account.name, ...(preset !== undefined && { priority }) },
    timeZone: file.timeZone ?? (every === undefined ? account.timeZone : 'UTC'),
    ...(every !== undefined && { every }),
    ...(description !== undefined && { description }),
  };
}

/** The place in line that a run takes when its input names none; undefined where it has no such field. */
function presetPriority(schema: z.ZodType): number | undefined {
  const field = describable(schema).properties?.priority;
  return typeof field === 'object' && typeof field.default === 'number' ? field.default : undefined;
}

function inputProblems(plan: (raw: unknown) => unknown, input: unknown): string[] {
  try {
    plan(input);
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.problems.map((problem) => `input: ${problem}`);
    throw error;
  }
}

/** S4. */
function holdsToken(file: PipelineFile): boolean {
  const text = JSON.stringify(file);
  return redactText(text) !== text;
}

function unknownWorkflow(name: string): string {
  const names = Object.keys(WORKFLOW_TYPES);
  return `workflow: there is no workflow type '${name}'; did you mean '${closest(name, names)}'? There are ${names.join(', ')}`;
}

const unknownAccount = (name: string, names: readonly string[]): string =>
  names.length === 0
    ? `account: no account is configured, and it works for '${name}'`
    : `account: there is no account '${name}'; did you mean '${closest(name, names)}'? There are ${names.join(', ')}`;
