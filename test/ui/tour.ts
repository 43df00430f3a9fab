/** Runs in the states in which people meet them. They come in this order: each may build on those before. */
import { Client } from '@temporalio/client';
import type { BudgetSaid } from '../../src/inputs/person-messages';
import { setBudgetUpdate } from '../../src/ledger/messages';
import { formSummary, type WorkflowName } from '../../src/runs/workflow-types';
import { START_HERE } from '../../src/start-here/keep';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import { until } from '../support/until';
import type { WebUi } from './web-ui';

export interface State {
  name: string;
  /** Brings it about. @returns the ID of the run */
  prepare(ui: WebUi): Promise<string>;
  /** What its page then says. */
  says: RegExp;
}

/** Starts it as from the form, with its summary. */
async function start({ temporal }: WebUi, type: WorkflowName, workflowId: string, input: object): Promise<string> {
  const staticSummary = formSummary(type);
  await temporal.client.workflow.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, staticSummary, args: [input] });
  return workflowId;
}

export async function ledgerOf({ temporal }: WebUi): Promise<string> {
  for await (const { workflowId } of temporal.client.workflow.list({ query: 'WorkflowType = "accountLedger"' }))
    return workflowId;
  throw new Error('there is no ledger');
}

/** Starts it and waits for its end. */
async function finish(ui: WebUi, type: WorkflowName, workflowId: string, input: object): Promise<string> {
  await start(ui, type, workflowId, input);
  await ui.temporal.client.workflow.getHandle(workflowId).result();
  return workflowId;
}

/** Two leads of one business, which become projects of one name. */
function twins({ sandbox }: WebUi): [string, string] {
  const leads = sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  for (const { id, businessName } of leads) {
    const other = leads.find((one) => one.id !== id && businessName !== null && one.businessName === businessName);
    if (other) return [id, other.id];
  }
  throw new Error('no two leads are of one business');
}

const AUDIT = 'harbour-logistics';
const CLIENT = 'Harbour Logistics';

const scoring = { minReadiness: 0 };
const convertLeads = { operation: 'convertLead', leads: { scoring } };

/** An ID that would be a link of its own, and markup, where it were not encoded. */
export const HOSTILE = 'a](http://evil.example)<b>_x_ 100%';

export const TOUR: readonly State[] = [
  { name: 'start-here', prepare: async () => START_HERE, says: /Start a run/ },
  {
    name: 'approval',
    prepare: (ui) => start(ui, 'leadPipeline', 'leads-of-this-week', { maxConversions: 12, approval: 'all' }),
    says: /A person is asked to approve 10 conversions for 10,000 credits[\s\S]*Balance: 50,000 credits/,
  },
  {
    name: 'plan',
    prepare: (ui) => finish(ui, 'leadPipeline', 'a-plan', { dryRun: true, maxConversions: 3 }),
    says: /Only planned: 3 to be converted/,
  },
  {
    name: 'batch-approval',
    prepare: (ui) => start(ui, 'backfill', 'all-leads', { ...convertLeads, approval: 'all' }),
    says: /Approval is needed/,
  },
  {
    name: 'child',
    async prepare(ui) {
      await finish(ui, 'leadPipeline', HOSTILE, { scoring, maxConversions: 1 });
      const { workflow } = ui.temporal.client;
      for await (const { workflowId } of workflow.list({ query: 'WorkflowType = "convertLead"' })) return workflowId;
      throw new Error('nothing was converted');
    },
    says: /converted, 1,000 credits/,
  },
  {
    name: 'unknown-lead',
    prepare: (ui) => start(ui, 'convertLead', 'unknown', { leadId: '00000000-0000-4000-8000-000000000000' }),
    says: /refused, 0 credits. Reason: no lead has this ID \(http404\)/,
  },
  {
    name: 'wrong-input',
    prepare: (ui) => start(ui, 'convertLead', 'wrong', { lead: 'x' }),
    says: /cannot start with this input/,
  },
  {
    name: 'finished',
    prepare: (ui) => finish(ui, 'leadPipeline', 'best-three', { maxConversions: 3 }),
    says: /Done: 3 converted/,
  },
  {
    name: 'ended',
    async prepare(ui) {
      ui.sandbox.control.addFault({ route: 'leads.convert', fault: 'status', status: 422 });
      return finish(ui, 'leadPipeline', 'two-leads', { scoring, maxConversions: 2 });
    },
    says: /refused, 0 credits: the service cannot use what was sent/,
  },
  {
    name: 'question',
    async prepare(ui) {
      ui.sandbox.control.addFault({ route: 'leads.convert', fault: 'cutBeforeCommit', times: 2 });
      const lead = ui.sandbox.control.leads().find(({ surveyStatus }) => surveyStatus === 'completed');
      return start(ui, 'convertLead', 'asks', { leadId: lead?.id, maxCredits: 1_000 });
    },
    says: /It happened\W+decide/,
  },
  {
    name: 'which-project',
    async prepare(ui) {
      const { control } = ui.sandbox;
      const [leadId, other] = twins(ui);
      // The reply names no project; before the run looks for it, a person converts the other lead.
      control.addFault({ route: 'leads.convert', about: leadId, fault: 'empty' });
      control.addFault({ route: 'projects.list', fault: 'delay', delayMs: 400_000 });
      await start(ui, 'convertLead', 'one-of-two', { leadId, maxCredits: 1_000 });
      await until(() => control.leads().some(({ id, surveyStatus }) => id === leadId && surveyStatus === 'converted'));
      control.convertLead({ leadId: other });
      await until(() => control.stats().faults.some(({ route }) => route === 'projects.list'));
      control.endDelays();
      return 'one-of-two';
    },
    says: /Two or more projects could be its own/,
  },
  {
    name: 'audit',
    async prepare(ui) {
      ui.put('harbour/hours.csv', 'task,hours\nOrders by phone,12\n');
      ui.put('harbour/order-process.txt', 'Orders come by phone and are typed into a spreadsheet.');
      const project = { clientName: CLIENT, industry: 'Logistics', currency: 'EUR' };
      const documents = ['harbour/order-process.txt', 'harbour/hours.csv'];
      return start(ui, 'auditProject', AUDIT, { project, documents });
    },
    says: /interview analysis yet[\s\S]*documents and interviews are added there/,
  },
  {
    name: 'audit-done',
    async prepare({ sandbox: { control }, temporal }) {
      for (const { id, clientName } of control.projects())
        if (clientName === CLIENT) control.completeInterviews({ projectId: id });
      await temporal.client.workflow.getHandle(AUDIT).result();
      return AUDIT;
    },
    says: /is audited: \d+ opportunities/,
  },
  {
    name: 'review',
    prepare: (ui) => start(ui, 'ingestCapture', 'note-of-monday', { note: 'Half of it was hard to hear. [review]' }),
    says: /needs review: /,
  },
  {
    name: 'sweep',
    async prepare(ui) {
      // The stand-in's extraction of such a note fails at first.
      for (const [i, note] of ['The line broke off. [fails 1]', 'Nobody spoke up. [fails 1]'].entries())
        await finish(ui, 'ingestCapture', `bad-note-${i}`, { note, maxReprocesses: 0 });
      return finish(ui, 'captureSweep', 'sweep-of-monday', {});
    },
    says: /2 extracted again/,
  },
  {
    name: 'call',
    prepare: (ui) => finish(ui, 'callApi', 'contacts', { route: 'contacts.list', query: { limit: 5 } }),
    says: /contacts.list\W+is done/,
  },
  {
    name: 'batch',
    prepare: (ui) =>
      start(ui, 'backfill', 'region-north', { ...convertLeads, maxCredits: 500_000, itemsPerMinute: 15 }),
    says: /[2-9] done/,
  },
  {
    name: 'hold',
    async prepare(ui) {
      ui.sandbox.control.setAgentApi({ enabled: false });
      const lead = ui.sandbox.control.leads().findLast(({ surveyStatus }) => surveyStatus === 'completed');
      return start(ui, 'convertLead', 'one-lead', { leadId: lead?.id, maxCredits: 1_000 });
    },
    says: /on hold/,
  },
  {
    name: 'ledger',
    async prepare(ui) {
      const ledger = await ledgerOf(ui);
      const args: [BudgetSaid] = [{ perDay: 40_000, reason: 'quiet week', by: 'Ops' }];
      // The page shows what the client calls itself; by default, the name of this machine.
      const { connection, options } = ui.temporal.client;
      const client = new Client({ ...options, connection, identity: 'ops-desk' });
      await client.workflow.getHandle(ledger).executeUpdate(setBudgetUpdate, { args });
      return ledger;
    },
    says: /quiet week/,
  },
];
