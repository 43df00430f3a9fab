/**
 * What one conversion costs and how soon it begins while nothing else is under way: Temporal's actions, and the time from its
 * start to the moment at which its paid request has arrived. The limits are the document's.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { temporal } from '@temporalio/proto';
import { LIMITS } from '../src/agent-api/routes';
import { momentOf } from '../src/cli/report/events';
import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import type { convertLead } from '../workflows';
import { actionsOf, sumOf } from './support/actions';
import { runBench } from './support/main';
import { atMost, exactly, type Figure, note, report, warningFigures } from './support/report';
import { onStage, type Stage } from './support/stage';

const CONVERSIONS = Number(process.argv[2] ?? '30');
/** The first ones find a worker and a ledger that have just begun. */
const WARM_UP = 2;
const MOST_ACTIONS = 9;
const MOST_MS = 150;
/** A write may leave so soon after the one before, with a little room for the clocks of three processes. */
const GAP_MS = LIMITS.writes.windowMs / LIMITS.writes.max + 500;
/** Of the ledger, for one conversion: it is asked whether it may be sent, and told what became of it. */
const UPDATES = 2;

/** What is paid is paid as soon as it arrives. */
const SANDBOX = ['--leads', String(CONVERSIONS * 2), '--credits', String(CONVERSIONS * 2_000), '--speed', '1000'];

/** Between them the way from the start to the paid request, as the server's clock has it. */
const STEPS = [
  'lookAtLead scheduled',
  'lookAtLead taken',
  'lookAtLead done',
  'convertLeadOnce scheduled',
  'convertLeadOnce taken',
];

/** When each step of a run began, milliseconds since its start. */
function stepsOf(events: readonly temporal.api.history.v1.IHistoryEvent[]): Map<string, number> {
  const steps = new Map<string, number>();
  const types = new Map<string, string>();
  const [first] = events;
  for (const event of events) {
    const { activityTaskScheduledEventAttributes: scheduled, activityTaskStartedEventAttributes: taken } = event;
    const { activityTaskCompletedEventAttributes: done } = event;
    const at = momentOf(event) - (first ? momentOf(first) : 0);
    if (scheduled) {
      types.set(String(event.eventId), scheduled.activityType?.name ?? '');
      steps.set(`${scheduled.activityType?.name} scheduled`, at);
    }
    if (taken) steps.set(`${types.get(String(taken.scheduledEventId))} taken`, at);
    if (done) steps.set(`${types.get(String(done.scheduledEventId))} done`, at);
  }
  return steps;
}

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;

/** Events of the account's ledger so far. */
async function ledgerEvents(client: Stage['client']) {
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'accountLedger'" }))
    return (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
  return [];
}

async function measure({ client, sandbox, startWorker, warnings }: Stage): Promise<void> {
  startWorker();
  const leads = (await sandbox.leadIds()).slice(0, CONVERSIONS + WARM_UP);
  const startedAt = new Map<string, number>();
  const actions: number[] = [];
  const kinds: Figure[] = [];
  const steps: Map<string, number>[] = [];
  let ledgerBefore = 0;
  for (const [n, leadId] of leads.entries()) {
    if (n === WARM_UP) ledgerBefore = (await ledgerEvents(client)).length;
    const begin = Date.now();
    const run = await client.workflow.start<typeof convertLead>('convertLead', {
      ...{ workflowId: `idle-${n}`, taskQueue: WORKFLOW_QUEUE, args: [{ leadId }] },
    });
    await run.result();
    if (n >= WARM_UP) {
      startedAt.set(`lead:${leadId}`, begin);
      const events = (await run.fetchHistory()).events ?? [];
      const counts = actionsOf(events);
      steps.push(stepsOf(events));
      actions.push(sumOf(counts) + UPDATES);
      if (kinds.length === 0)
        kinds.push(...Object.entries(counts).map(([kind, count]) => note(`of its own run: ${kind}`, count)));
    }
    await sleep(GAP_MS);
  }
  const ofLedger = Object.entries(actionsOf((await ledgerEvents(client)).slice(ledgerBefore)));
  const { payments, paidTwice } = await sandbox.stats();
  const times = payments
    .flatMap(({ subject, at }) => {
      const begin = startedAt.get(subject);
      return begin === undefined ? [] : [Date.parse(at) - begin];
    })
    .sort((one, two) => one - two);
  report(
    `${CONVERSIONS} conversions one after the other, an idle worker, load ${loadavg().map(Math.round).join(', ')}`,
    [
      exactly('leads paid for; measured', times.length, CONVERSIONS),
      exactly('leads paid for twice', paidTwice.length, 0),
      atMost('actions of a conversion, the updates of the ledger included, most', Math.max(...actions), MOST_ACTIONS),
      ...kinds,
      ...ofLedger.map(([kind, count]) => note(`of the ledger, for each conversion: ${kind}`, count / CONVERSIONS)),
      note('from the start to the paid request, median (ms)', percentile(times, 0.5)),
      atMost('from the start to the paid request, p95 (ms)', percentile(times, 0.95), MOST_MS),
      note('from the start to the paid request, most (ms)', times.at(-1) ?? Number.NaN),
      ...STEPS.map((step) => {
        const sorted = steps.map((one) => one.get(step) ?? Number.NaN).sort((one, two) => one - two);
        return note(`median until ${step} (ms)`, percentile(sorted, 0.5));
      }),
      ...warningFigures(warnings()),
    ],
  );
}

runBench(10, () => onStage({ sandbox: SANDBOX }, measure));
