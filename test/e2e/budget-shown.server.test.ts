/** S7: a budget that is used up is said where people look: which limit, how much, what ends it; and it goes on by itself. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { backfill, leadPipeline } from '../../workflows';
import { cliFolder } from '../cli/cli';
import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { inScene } from './support/scene';

const heard: { type: string; data: { title: string } }[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    heard.push(JSON.parse(body));
    response.writeHead(204).end();
  });
});
const cli = cliFolder();
beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  await cli.close();
  receiver.close();
});

const NOTIFY_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const USED_UP =
  'the credits of the day are used up: 2,000 spent, of 2,000 a day; the next call costs 1,000. It goes on at ';

test('the day’s budget is used up: pipeline, batch, run, status and a notification say so', () =>
  inScene(
    {
      sandbox: { leads: 60, credits: 100_000 },
      account: { timing: { ...UNHURRIED, holdProbeMs: 300 } },
      file: {
        notify: { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, secretEnv: 'NOTIFY_SECRET' },
      },
      env: { NOTIFY_SECRET },
    },
    async (scene) => {
      await scene.stage.startWorker();
      await scene.limitDay(2_000);
      const { workflow } = scene.stage.temporal.client;
      const env = { ...scene.stage.env, NOTIFY_SECRET, NO_COLOR: '1' };
      const scoring = { minReadiness: 0 };
      const pipeline = await workflow.start(leadPipeline, {
        ...{ workflowId: 'pipeline', taskQueue: 'audit-runner', args: [{ maxConversions: 6, scoring }] },
      });
      // A busy machine may be late with its answer.
      const says = (run: { query(name: string): Promise<unknown> }, what: string) =>
        run.query('progress').then(
          (progress) => JSON.stringify(progress).includes(what),
          () => false,
        );
      await until(() => says(pipeline, USED_UP));
      const usedUp = () => heard.filter(({ type }) => type === 'audit_runner.budget_used_up');
      await until(() => usedUp().length > 0);
      // People are told once: perhaps while the last of the calls are still under way.
      const [told] = usedUp();
      expect(told?.data.title).toMatch(/the credits of the day are used up: [\d,]+ spent.*, of 2,000 a day; /);
      expect(told?.data.title).toContain('set-budget default');

      const leads = { scoring };
      const batch = await workflow.start(backfill, {
        ...{ workflowId: 'batch', taskQueue: 'audit-runner' },
        args: [{ operation: 'convertLead', leads, maxItems: 10 }],
      });
      await until(() => says(batch, USED_UP));
      const seen = cli.start(['run', 'leadPipeline', '--attach', '--id', 'pipeline'], env);
      await seen.said('the credits of the day are used up: 2,000 spent');
      const status = await cli.run(['status'], env);
      expect(status.stdout).toMatch(/default +[\d,]+ +0 +2,000 +budget used up/);
      expect(status.stdout).toContain(`default: ${USED_UP}`);
      expect(status.stdout).toContain('runs that wait for it: ');
      expect(status.code).toBe(3);

      await scene.limitDay(null);
      expect(await pipeline.result()).toMatchObject({ ended: 'done', counts: { converted: 6 } });
      await batch.result();
      expect((await seen.ended).code).toBe(0);
      expect(heard.filter(({ type }) => type === 'audit_runner.budget_used_up').length).toBeLessThanOrEqual(2);
    },
  ));
