/** Runs in the states in which people meet them. They come in this order: each may build on those before. */
import type { BudgetSaid } from '../../src/inputs/person-messages';
import { setBudgetUpdate } from '../../src/ledger/messages';
import { START_HERE } from '../../src/start-here/keep';
import { WORKFLOW_QUEUE } from '../../src/temporal/queues';
import type { WebUi } from './web-ui';

export interface State {
  name: string;
  /** Brings it about. @returns the ID of the run */
  prepare(ui: WebUi): Promise<string>;
  /** What its page then says. */
  says: RegExp;
}

async function start({ temporal }: WebUi, type: string, workflowId: string, input: object): Promise<string> {
  await temporal.client.workflow.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, args: [input] });
  return workflowId;
}

export async function ledgerOf({ temporal }: WebUi): Promise<string> {
  for await (const { workflowId } of temporal.client.workflow.list({ query: 'WorkflowType = "accountLedger"' }))
    return workflowId;
  throw new Error('there is no ledger');
}

const scoring = { minReadiness: 0 };
const convertLeads = { operation: 'convertLead', leads: { scoring } };

/** An ID that would be a link of its own, and markup, where it were not encoded. */
export const HOSTILE = 'a](http://evil.example)<b>_x_ 100%';

export const TOUR: readonly State[] = [
  { name: 'start-here', prepare: async () => START_HERE, says: /Start a run/ },
  {
    name: 'approval',
    prepare: (ui) => start(ui, 'leadPipeline', 'leads-of-this-week', { maxConversions: 12, approval: 'all' }),
    says: /A person approves 10 conversions for 10,000 credits[\s\S]*Balance: 50,000 credits/,
  },
  {
    name: 'batch-approval',
    prepare: (ui) => start(ui, 'backfill', 'all-leads', { ...convertLeads, approval: 'all' }),
    says: /Approval is needed/,
  },
  {
    name: 'child',
    async prepare(ui) {
      await start(ui, 'leadPipeline', HOSTILE, { scoring, maxConversions: 1 });
      const { workflow } = ui.temporal.client;
      await workflow.getHandle(HOSTILE).result();
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
    name: 'ended',
    async prepare(ui) {
      ui.sandbox.control.addFault({ route: 'leads.convert', fault: 'status', status: 422 });
      await start(ui, 'leadPipeline', 'two-leads', { scoring, maxConversions: 2 });
      await ui.temporal.client.workflow.getHandle('two-leads').result();
      return 'two-leads';
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
      await ui.temporal.client.workflow.getHandle(ledger).executeUpdate(setBudgetUpdate, { args });
      return ledger;
    },
    says: /quiet week/,
  },
];
