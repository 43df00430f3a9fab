/** `audit-runner run`: starts a workflow (or looks at one), shows how far it is, and then what came of it. */
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { fairnessKeyOf } from '../runs/fairness-key';
import { isOpen } from '../runs/is-open';
import { isWorkflowName, type PlannedRun, WORKFLOW_TYPES, type WorkflowName } from '../runs/workflow-types';
import { TemporalUnreachable } from '../temporal/connect';
import { WORKFLOW_QUEUE } from '../temporal/queues';
import { searchAttributeKeys } from '../temporal/search-attribute-keys';
import { command, PROGRAM } from '../text/command';
import { announce, forAccounts } from './announce';
import { EXIT, Exit } from './exit';
import { failureSentence, follow, noSuchRun, type RunEnd } from './follow';
import { readInputOption } from './json-input';
import { refuseUnknownAccount } from './known-account';
import { print, printJson, tell } from './output';
import { describeQuestion, questionOf } from './question';
import { showResult } from './results';
import { configHere, type Followed, type KnownServer, pageOf, withServer } from './server';
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
  const { storageUrl, accounts } = await configHere(options.config);
  return withServer(plan ? 'writes' : 'reads', async (reached) => {
    const { client, server } = reached;
    const signals = new EndSignals();
    const workflowId = options.id ?? plan?.workflowId ?? '';
    if (plan) {
      await refuseUnknownAccount(reached, plan.account, accounts);
      const does = plan.dryRun ? `Planning ${type} (writes and spends nothing)` : `Starting ${type}`;
      announce(`${does}${forAccounts([plan.account], accounts)}`, server.config);
    }
    const { handle, runId } = plan
      ? await start(client, type, workflowId, input, plan)
      : await newest(client.workflow.getHandle(workflowId));
    const link = pageOf(reached, workflowId, runId);
    const about = { workflowId, ...(link && { link }) };
    if (options.detach) return await look(reached, handle, about, again(type, workflowId), options.json);
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

/** A run, and the one of its ID that is the newest: one that has continued as new has several. */
export interface Started {
  handle: WorkflowHandle;
  runId: string;
}

/** @throws Exit where there is none */
async function newest(handle: WorkflowHandle): Promise<Started> {
  const { runId } = await described(handle);
  return { handle, runId };
}

const described = (handle: WorkflowHandle) =>
  handle.describe().catch((error: unknown) => {
    throw error instanceof WorkflowNotFoundError ? noSuchRun(handle.workflowId) : error;
  });

/** Starts the run; one that is under way with this ID is shown instead of started twice. */
export async function start(
  client: Client,
  type: WorkflowName,
  workflowId: string,
  input: unknown,
  { account, leadId, summary }: PlannedRun,
): Promise<Started> {
  try {
    const handle = await client.workflow.start(type, {
      workflowId,
      taskQueue: WORKFLOW_QUEUE,
      args: [input],
      staticSummary: summary,
      staticDetails: `${type} ${WORKFLOW_TYPES[type].about}. Started with \`${PROGRAM} run\`.`,
      priority: { priorityKey: PERSON, fairnessKey: fairnessKeyOf(workflowId) },
      typedSearchAttributes: [
        { key: searchAttributeKeys.account, value: account },
        { key: searchAttributeKeys.runKind, value: 'person' },
        ...(leadId === undefined ? [] : [{ key: searchAttributeKeys.leadId, value: leadId }]),
      ],
    });
    return { handle, runId: handle.firstExecutionRunId };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    tell(`A run with the ID ${workflowId} is under way already: nothing new was started, this is that run.`);
    return newest(client.workflow.getHandle(workflowId));
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
async function look(
  { client }: Followed,
  handle: WorkflowHandle,
  about: About,
  hint: string,
  json: boolean | undefined,
): Promise<number> {
  const { status, typedSearchAttributes } = await described(handle);
  const needsPerson = isOpen(status) && typedSearchAttributes.get(searchAttributeKeys.needsPerson) === true;
  const question = needsPerson ? await questionOf(client, handle) : undefined;
  if (json) {
    const { asked, commands } = question ?? {};
    printJson({ ...about, status: status.name, needsPerson, ...(question && { question: asked, commands }) });
  } else
    print([about.workflowId, about.link, needsPerson ? 'waits for a person' : undefined].filter(Boolean).join('\n'));
  if (question) tell(describeQuestion(question, undefined));
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
