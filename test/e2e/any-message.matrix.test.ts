/**
 * S3, S8: whoever reaches Temporal may send anything to anything: what is configured is not exceeded, and nothing breaks.
 *
 * @takes 190 s
 */
import { join } from 'node:path';
import { temporal as api } from '@temporalio/proto';
import { linesOf, usersWithBooks } from '../../src/books/reading';
import { Standing } from '../../src/books/standing';
import { adjustUpdate, INTERNAL_UPDATES, leaveUpdate, releaseUpdate, stateQuery } from '../../src/ledger/messages';
import { openStorage } from '../../src/storage';
import { convertLead, leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { Random } from '../simulation/world/random';
import { anyMessage, type Harmful } from '../support/any-message';
import { completedLeads, onStage, type Stage } from '../support/stage';
import { until } from '../support/until';

const SEQUENCES = 200;
const MESSAGES = 6;
const LANES = 6;
const PER_DAY = 5_000;
/** On a slow machine. */
const LIMIT_MS = 400_000;
const ANSWERED_WITHIN_MS = 10_000;
const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW: RESET, WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND: UNHEARD } =
  api.api.enums.v1.WorkflowTaskFailedCause;
/** Failures of the server's own making: a run is reset, or would end while a message to it has just arrived. */
const OF_THE_SERVER: ReadonlySet<unknown> = new Set([RESET, UNHEARD]);
const taskQueue = 'audit-runner';

/** @returns whether it was taken */
async function send({ temporal: { client } }: Stage, sent: Harmful): Promise<boolean> {
  const { workflowId } = sent;
  const handle = client.workflow.getHandle(workflowId);
  const answer = () => {
    if (sent.kind === 'start') return client.workflow.start(sent.type, { workflowId, taskQueue, args: [sent.input] });
    if (sent.kind === 'signal') return handle.signal(sent.name, sent.said);
    return handle.executeUpdate(sent.name, { args: [sent.said] });
  };
  return client.withDeadline(Date.now() + ANSWERED_WITHIN_MS, answer).then(
    () => true,
    () => false,
  );
}

async function failedTasks({ temporal: { client } }: Stage): Promise<string[]> {
  const failed: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const { workflowTaskFailedEventAttributes: task } of events ?? [])
      if (task && !OF_THE_SERVER.has(task.cause)) failed.push(`${workflowId}: ${task.failure?.message}`);
  }
  return failed;
}

test(
  `${SEQUENCES} sequences of messages and starts: the ceiling holds, no workflow task fails, and the books have what was said`,
  () =>
    onStage(
      {
        account: { budget: { perDay: PER_DAY } },
        sandbox: { leads: 60, projects: 0, credits: 100_000 },
      },
      async (stage) => {
        const { client } = stage.temporal;
        const leadIds = stage.sandbox.control.leads().map(({ id }) => id);
        await stage.startWorker();
        const spend = (nth: number) =>
          Promise.allSettled([
            client.workflow.start(leadPipeline, {
              ...{ workflowId: `pipeline-${nth}`, taskQueue },
              args: [{ scoring: { minReadiness: 0 }, maxConversions: 10, maxCredits: 20_000, approval: 'none' }],
            }),
            client.workflow.start(convertLead, {
              ...{ workflowId: `convertLead-${nth % 8}`, taskQueue },
              args: [{ leadId: leadIds[nth % leadIds.length] ?? '' }],
            }),
          ]);
        await spend(0);
        await until(() => stage.figures().spent > 0);
        const ledger = client.workflow.getHandle(stage.ledgerId);
        let taken = 0;
        const left = Array.from({ length: SEQUENCES }, (_, n) => n + 1);
        const lane = async () => {
          for (let nth = left.pop(); nth !== undefined; nth = left.pop()) {
            const random = new Random(nth);
            if (nth % 20 === 0) await spend(nth);
            for (let n = 0; n < MESSAGES; n++) {
              const runs: string[] = [];
              for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
                if (workflowId !== stage.ledgerId) runs.push(workflowId);
              const { raw } = await ledger.describe();
              const ledgerRunId = raw.workflowExecutionInfo?.firstRunId ?? undefined;
              const reachable = { leadIds, now: Date.now(), ledgerId: stage.ledgerId, ledgerRunId, runs: runs.sort() };
              const sent = anyMessage(reachable, random, nth * MESSAGES + n);
              const isTaken = await send(stage, sent);
              if (
                isTaken &&
                sent.kind === 'update' &&
                sent.workflowId === stage.ledgerId &&
                !INTERNAL_UPDATES.has(sent.name)
              )
                taken++;
            }
          }
        };
        await Promise.all(Array.from({ length: LANES }, lane));
        expect(taken).toBeGreaterThan(20);

        // By now the ledger may believe that there is room, and nothing stands in the way but the books.
        const by = { by: 'Eve', reason: 'x' };
        await ledger.executeUpdate(adjustUpdate, { args: [{ ...by, credits: -50_000 }] });
        await ledger.executeUpdate(releaseUpdate, { args: [{ ...by, parks: true }] });
        taken += 2;
        // A worker that somebody made up, and that keeps its books elsewhere, stops everything until it lapses.
        const { workers } = await ledger.query(stateQuery);
        for (const { worker } of workers.filter(({ worker }) => !worker.includes(`${process.pid}@`)))
          await ledger.executeUpdate(leaveUpdate, { args: [{ worker }] });
        const last = await Promise.all(
          completedLeads(stage).map((leadId) =>
            client.workflow.start(convertLead, { workflowId: `last-${leadId}`, taskQueue, args: [{ leadId }] }),
          ),
        );
        expect(last.length).toBeGreaterThan(5);
        await until(async () => {
          const asked = last.map((run) =>
            run.query(progressQuery).then(
              ({ waiting = '' }) => waiting,
              () => '',
            ),
          );
          const waits = (await Promise.all(asked)).some((waiting) => /beyond the ceiling of the day/.test(waiting));
          return waits && stage.figures().spent >= PER_DAY;
        });
        expect(stage.figures()).toMatchObject({ spent: PER_DAY, paidTwice: 0 });
        const storage = openStorage(join(stage.folder, 'storage'));
        const [user = ''] = await usersWithBooks(storage);
        const kept = async () => {
          let acts = 0;
          for await (const { entry } of linesOf(storage, user, new Standing('UTC')))
            if (entry.kind === 'act' && entry.workflowId === stage.ledgerId) acts++;
          return acts;
        };
        await until(async () => (await kept()) >= taken);
        expect(await failedTasks(stage)).toEqual([]);
      },
    ),
  LIMIT_MS,
);
