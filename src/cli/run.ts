/** `audit-runner run`: starts a workflow (or looks at one), shows how far it is, and then what came of it. */
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { loadConfig } from '../config';
import { isWorkflowName, type PlannedRun, WORKFLOW_TYPES, type WorkflowName } from '../runs/workflow-types';
import { TemporalUnreachable } from '../temporal/connect';
import { WORKFLOW_QUEUE } from '../temporal/queues';
import { searchAttributeKeys } from '../temporal/search-attribute-keys';
import { command, PROGRAM } from '../text/command';
import { announce } from './announce';
import { EXIT, Exit } from './exit';
import { failureSentence, follow, noSuchRun, type RunEnd } from './follow';
import { readInputOption } from './json-input';
import { refuseUnknownAccount } from './known-account';
import { print, printJson, tell } from './output';
import { showResult } from './results';
import { type KnownServer, linkTo, withServer } from './server';
import { EndSignals } from './signals';
import { workflowName } from './workflow-type';

export interface RunOptions {
  input?: string;
  account?: string;
  id?: string;
  json?: boolean;
  detach?: boolean;
  attach?: boolean;
  all?: boolean;
  config?: string;
}

/** Priority of the run's workflow tasks: a person's run before a scheduled one (3) before a backfill. */
const PERSON = 2;

export async function runCommand(name: string, options: RunOptions): Promise<number> {
  const type = workflowName(name);
  if (options.attach && (options.id === undefined || options.input !== undefined))
    throw new Exit(EXIT.badInput, '--attach looks at a run that is there: give its --id, and no --input.');
  const input = readInputOption(options.input, options.account);
  // Checked before anything is connected or started, with the sentences that the run itself would fail with.
  const plan = options.attach ? undefined : WORKFLOW_TYPES[type].plan(input);
  const { storageUrl, accounts } = loadConfig({ env: process.env, file: options.config });
  return withServer(plan ? 'writes' : 'reads', async (reached) => {
    const { client, namespace, server } = reached;
    const signals = new EndSignals();
    const workflowId = options.id ?? plan?.workflowId ?? '';
    if (plan) {
      await refuseUnknownAccount(reached, plan.account, accounts);
      const does = plan.dryRun ? `Planning ${type} (writes and spends nothing)` : `Starting ${type}`;
      announce(does, [plan.account], accounts, server.config);
    }
    const handle = plan ? await start(client, type, workflowId, input, plan) : client.workflow.getHandle(workflowId);
    const link = server.uiUrl && linkTo(server.uiUrl, namespace, workflowId);
    const about = { workflowId, ...(link && { link }) };
    if (options.detach) return await look(handle, about, again(type, workflowId), options.json);
    tell(link ? `Run ${workflowId}\n${link}` : `Run ${workflowId}`);
    const end = await follow(reached, handle, signals.aborted).catch(lost(type, workflowId));
    // Somebody may look at a run of another type than was given.
    const real = plan || end.kind !== 'result' ? type : await typeOf(handle, type);
    return await conclude(real, about, end, storageUrl, options, server);
  });
}

/** Which type a run really has. */
async function typeOf(handle: WorkflowHandle, given: WorkflowName): Promise<WorkflowName> {
  const { type } = await handle.describe();
  return isWorkflowName(type) ? type : given;
}

/** Starts the run; one that is under way with this ID is shown instead of started twice. */
export async function start(
  client: Client,
  type: WorkflowName,
  workflowId: string,
  input: unknown,
  { account, leadId, summary }: PlannedRun,
): Promise<WorkflowHandle> {
  try {
    return await client.workflow.start(type, {
      workflowId,
      taskQueue: WORKFLOW_QUEUE,
      args: [input],
      staticSummary: summary,
      staticDetails: `${type} ${WORKFLOW_TYPES[type].about}. Started with \`${PROGRAM} run\`.`,
      priority: { priorityKey: PERSON, fairnessKey: workflowId.slice(-64) },
      typedSearchAttributes: [
        { key: searchAttributeKeys.account, value: account },
        { key: searchAttributeKeys.runKind, value: 'person' },
        ...(leadId === undefined ? [] : [{ key: searchAttributeKeys.leadId, value: leadId }]),
      ],
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    tell(`A run with the ID ${workflowId} is under way already: nothing new was started, this is that run.`);
    return client.workflow.getHandle(workflowId);
  }
}

interface About {
  workflowId: string;
  link?: string;
}

/** The command that looks at a run again. */
export const again = (type: WorkflowName, workflowId: string): string =>
  `  ${command(`run ${type} --attach --id`, workflowId)}`;

/** The server went away while a run was followed: that run does not mind. */
export const lost =
  (type: WorkflowName, workflowId: string) =>
  (error: unknown): never => {
    if (!(error instanceof TemporalUnreachable)) throw error;
    const { found, mend, cause } = error;
    const after = `the run ${workflowId} goes on when it is back. Look again with:\n${again(type, workflowId)}`;
    throw new TemporalUnreachable(found, `${mend}; ${after}`, { cause });
  };

/** `--detach`: one look. */
async function look(handle: WorkflowHandle, about: About, hint: string, json: boolean | undefined): Promise<number> {
  const { status, typedSearchAttributes } = await handle.describe().catch((error: unknown) => {
    throw error instanceof WorkflowNotFoundError ? noSuchRun(handle.workflowId) : error;
  });
  const needsPerson = status.name === 'RUNNING' && typedSearchAttributes.get(searchAttributeKeys.needsPerson) === true;
  const shown = { ...about, status: status.name, needsPerson };
  if (json) printJson(shown);
  else print([about.workflowId, about.link, needsPerson ? 'waits for a person' : undefined].filter(Boolean).join('\n'));
  tell(`Look at it with:\n${hint}`);
  return needsPerson ? EXIT.notAllDone : EXIT.done;
}

async function conclude(
  type: WorkflowName,
  about: About,
  end: RunEnd,
  storageUrl: string,
  { json, all }: RunOptions,
  { config, uiUrl }: KnownServer,
): Promise<number> {
  switch (end.kind) {
    case 'result': {
      const shown = await showResult(type, end.result, storageUrl, { all });
      if (json) printJson({ ...about, result: shown.json });
      else print(shown.text);
      return shown.code;
    }
    case 'failed':
      if (json) printJson({ ...about, error: { type: end.type, message: end.message } });
      tell(failureSentence(end));
      return end.type === 'BadInput' ? EXIT.badInput : EXIT.failed;
    case 'interrupted': {
      const address = uiUrl ? '' : ` (Temporal at ${config.address})`;
      tell(`Interrupted: the run goes on${address}. Look again with:\n${again(type, about.workflowId)}`);
      return EXIT.interrupted;
    }
  }
}
