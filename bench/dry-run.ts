/** What planning over many leads costs: time, history, memory; and whether each lead is accounted for (S6). */

import { WORKFLOW_QUEUE } from '../src/temporal/queues';
import type { leadPipeline } from '../workflows';
import { weighHistories } from './support/history';
import { runBench } from './support/main';
import { atMost, exactly, type Figure, note, report, warningFigures } from './support/report';
import { NO_LIMITS, onStage } from './support/stage';

const LEADS = Number(process.argv[2] ?? 100_000);
const MINUTES = 10;
const MAX_EVENTS = 5_000;
const MAX_BYTES = 5_000_000;

async function main(): Promise<void> {
  await onStage(
    { sandbox: ['--leads', String(LEADS), '--limits', 'off'], account: { limits: NO_LIMITS } },
    async ({ client, sandbox, startWorker, warnings }) => {
      const worker = startWorker();
      const begin = Date.now();
      const handle = await client.workflow.start<typeof leadPipeline>('leadPipeline', {
        workflowId: 'bench-dry-run',
        taskQueue: WORKFLOW_QUEUE,
        args: [{ dryRun: true, view: 'all', maxConversions: 400, maxCredits: 400_000 }],
        workflowExecutionTimeout: `${MINUTES} minutes`,
      });
      const result = await handle.result();
      const seconds = (Date.now() - begin) / 1_000;
      const { requests, conversions } = await sandbox.stats();
      const weights = await weighHistories(client);
      const sum = Object.values(result.counts).reduce((total, count) => total + count, 0);
      const figures: Figure[] = [
        note('duration, worker start included (s)', seconds),
        exactly('leads in the result', result.leads, LEADS),
        exactly('sum of the counts', sum, LEADS),
        exactly('pages read', requests.byRoute['leads.list'] ?? 0, Math.ceil(LEADS / 500)),
        exactly('writes sent', requests.byClass.writes ?? 0, 0),
        exactly('conversions', conversions, 0),
        ...weights.flatMap(({ type, events, bytes }) => [
          atMost(`events of ${type}`, events, MAX_EVENTS),
          atMost(`bytes of ${type}`, bytes, MAX_BYTES),
        ]),
        atMost('worker, resident at its highest (MiB)', worker.memory().highest, 400),
        ...result.notes.map((text) => note('note of the result', text)),
        ...warningFigures(warnings()),
      ];
      report(`Dry run over ${LEADS.toLocaleString('en')} leads`, figures);
    },
  );
}

runBench(15, main);
