/** What the demo plays: a pipeline, an audit and five notes, each started as a person would start it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { acceptUpdate } from '../../../workflows/capture/review';
import { type PlannedRun, WORKFLOW_TYPES, type WorkflowName } from '../../runs/workflow-types';
import type { Storage } from '../../storage';
import { follow, type RunEnd } from '../follow';
import { start } from '../run';
import type { Followed } from '../server';

/** One started run. */
export interface Played {
  workflowId: string;
  runId: string;
  end: Promise<RunEnd>;
}

const LEADS = { maxConversions: 20, maxCredits: 20_000, scoring: { minReadiness: 30 } };

/** Converts the best leads; its progress is what the demo shows while it runs. */
export async function playLeads(followed: Followed, interrupted: AbortSignal): Promise<Played> {
  const plan = WORKFLOW_TYPES.leadPipeline.plan(LEADS);
  const { handle, runId } = await start(followed.client, 'leadPipeline', plan.workflowId, LEADS, plan);
  return { workflowId: plan.workflowId, runId, end: follow(followed, handle, interrupted) };
}

const DOCUMENTS: Readonly<Record<string, string>> = {
  'interview-guide.md': '# Interview guide\n\n- What takes you longest in a week?\n- What would you hand over first?\n',
  'order-process.txt': 'Orders arrive by mail and telephone. Each is typed into the stock system by hand, twice.\n',
  'hours.csv': 'task,hours a week\ninvoice intake,14\nshift planning,9\nquote approval,6\n',
};

/** A new project with three documents, from the storage to a report. */
export async function playAudit(client: Client, storage: Storage): Promise<Played> {
  for (const [name, text] of Object.entries(DOCUMENTS)) await storage.write(`demo/${name}`, text);
  const input = {
    project: { clientName: 'Harbour Logistics', industry: 'Logistics', companySize: '51-200', currency: 'EUR' },
    // Each demo has a service of its own, so each has a project of its own.
    reference: `demo-${Date.now()}`,
    documents: Object.keys(DOCUMENTS).map((name) => `demo/${name}`),
  };
  const plan = WORKFLOW_TYPES.auditProject.plan(input);
  return begun(client, 'auditProject', input, plan);
}

const NOTES = [
  'Call with the operations lead: invoice intake goes first, decision by March.',
  'The finance team wants a weekly export, not a dashboard.',
  'Shift planning is done in three places; the owner of the master list is unclear.',
  // The sandbox reads these marks: an extraction that fails twice, and one that a person must look at.
  'Site visit: the scanners lose their connection in hall 2. [fails 2]',
  'Somebody said the contract ends in June, or in July. [review]',
];

/** Five notes at once; one is extracted at the third try, one waits for a person. */
export const playNotes = (client: Client): Promise<Played[]> =>
  Promise.all(
    NOTES.map((note, n) => {
      const plan = { account: 'default', workflowId: `ingest-capture.default.demo-${n + 1}`, summary: `Note ${n + 1}` };
      return begun(client, 'ingestCapture', { note }, plan);
    }),
  );

/** The demo plays the person as well: accepts the note that asks for a review, as soon as it asks. */
export async function playPerson(client: Client, { workflowId, end }: Played): Promise<boolean> {
  let over = false;
  void end.finally(() => {
    over = true;
  });
  const handle = client.workflow.getHandle(workflowId);
  while (!over) {
    const accepted = await handle.executeUpdate(acceptUpdate, { args: [{ by: 'demo' }] }).then(
      () => true,
      // It refuses as long as it does not ask.
      () => false,
    );
    if (accepted) return true;
    await sleep(300);
  }
  return false;
}

async function begun(client: Client, type: WorkflowName, input: unknown, plan: PlannedRun): Promise<Played> {
  const { handle, runId } = await start(client, type, plan.workflowId, input, plan);
  const end = handle.result().then(
    (result): RunEnd => ({ kind: 'result', result }),
    (error: Error): RunEnd => ({
      kind: 'failed',
      type: error.name,
      message: error.cause instanceof Error ? error.cause.message : error.message,
    }),
  );
  return { workflowId: plan.workflowId, runId, end };
}
