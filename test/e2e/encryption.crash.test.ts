/** Keys change, and encryption begins to be required, with worker processes and runs under way. */
import { randomBytes } from 'node:crypto';
import { Client, type WorkflowHandle } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { createClient } from '../../src/temporal/client';
import { ENCODED_FAILURES_PATH, EncryptionCodec } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { convertLead, leadPipeline } from '../../workflows';
import { pipelineProgressQuery } from '../../workflows/lead-pipeline';
import { sealedBefore } from '../support/earlier';
import { until } from '../support/until';
import { inScene, type Scene } from './support/scene';

const LIMIT_MS = 240_000;
const taskQueue = 'audit-runner';
const newKey = () => randomBytes(32).toString('base64');
const ASKS = { scoring: { minReadiness: 0 }, maxConversions: 1, approval: 'all' } as const;

/** As commands are run where these keys are set. */
const clientWith = ({ stage: { temporal } }: Scene, keys: string): Client =>
  createClient({ connection: temporal.connection, namespace: temporal.namespace }, { [ENCRYPTION_VARIABLE]: keys });

const asks = (run: WorkflowHandle<typeof leadPipeline>) =>
  until(async () => {
    const progress = await run.query(pipelineProgressQuery).catch(() => undefined);
    return progress?.waiting?.includes('Approval') === true;
  });
const said = (answer: Promise<unknown>) =>
  answer.then(String, (error) => String(error.cause?.message ?? error.message));

test(
  'a key is changed, worker after worker, while a run waits and others pay',
  () =>
    inScene({}, async (scene) => {
      const [old, current] = [newKey(), newKey()];
      const own = (keys: string) => scene.worker({ [ENCRYPTION_VARIABLE]: keys });
      const workers = [await own(old), await own(old)];
      const waits = await clientWith(scene, old).workflow.start(leadPipeline, {
        ...{ workflowId: 'waits', taskQueue, args: [ASKS] },
      });
      await asks(waits);
      let paid = 0;
      const pays = async (keys: string) => {
        const leadId = scene.lead();
        const { workflow } = clientWith(scene, keys);
        const run = await workflow.start(convertLead, { workflowId: `pays-${++paid}`, taskQueue, args: [{ leadId }] });
        return () => run.result();
      };
      /** One after the other ends while a call is under way, and another takes its place, as the documents say it. */
      const restart = async (keys: string, commands: string) => {
        for (const [n, before] of workers.entries()) {
          const result = await pays(commands);
          before.terminate();
          workers[n] = await own(keys);
          expect(await result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
          expect(await before.ended).toBe(0);
        }
      };
      await restart(`${old},${current}`, old);
      await restart(`${current},${old}`, `${old},${current}`);
      // One that was forgotten does not come back with the old key alone.
      const forgotten = await scene.worker({ [ENCRYPTION_VARIABLE]: old }, 'and this one does not');
      expect(await forgotten.ended).not.toBe(0);
      expect(await (await pays(`${current},${old}`))()).toMatchObject({ outcome: 'converted' });
      const { workflow } = clientWith(scene, `${current},${old}`);
      expect(await said(workflow.getHandle('waits').executeUpdate('approve', { args: [{ by: 'Ann' }] }))).toContain(
        'Approved',
      );
      expect(await workflow.getHandle('waits').result()).toMatchObject({ ended: 'done', credits: 1_000 });
      expect(scene.stage.figures()).toMatchObject({ conversions: paid + 1, paidTwice: 0 });
    }),
  LIMIT_MS,
);

test(
  'encryption is required from now on: runs that were open go on, and what is new is encrypted or refused',
  () =>
    inScene({ ownServer: true }, async (scene) => {
      const key = newKey();
      const { connection, namespace } = scene.stage.temporal;
      const env = { [ENCRYPTION_VARIABLE]: key };
      const required = { ...env, AUDIT_RUNNER_ENCRYPTION_REQUIRE: 'true' };
      const codec = new EncryptionCodec([Buffer.from(key, 'base64')], namespace);
      const sends = (encode: (one: Payload) => Payload) =>
        new Client({
          ...{ connection, namespace },
          dataConverter: {
            payloadCodecs: [
              {
                encode: async (payloads) => payloads.map(encode),
                decode: (payloads, context) => codec.decode(payloads, context),
              },
            ],
            failureConverterPath: ENCODED_FAILURES_PATH,
          },
        });
      const plain = sends((one) => one);
      /** A command of 0.2.0. */
      const earlier = sends((one) => sealedBefore(Buffer.from(key, 'base64'), one));
      const own = clientWith(scene, key);

      const before = await scene.worker(env);
      const open = [
        ['plain', plain],
        ['earlier', earlier],
      ] as const;
      for (const [workflowId, { workflow }] of open) {
        await workflow.start(leadPipeline, { workflowId, taskQueue, args: [ASKS] });
        const run = own.workflow.getHandle<typeof leadPipeline>(workflowId);
        await asks(run);
        for (const name of ['pause', 'resume'])
          await workflow.getHandle(workflowId).executeUpdate(name, { args: [{ by: 'Ann' }] });
      }
      // Beside those that do not require it none begins that does.
      const early = await scene.worker(required, 'waiting until they have ended');
      await early.kill();
      before.terminate();
      await before.ended;
      // The server forgets who has asked it for work.
      await scene.restartServer();

      await scene.worker(required);
      const lax = await scene.worker(env, 'waiting until they have ended');
      await lax.kill();
      for (const [workflowId, { workflow }] of open) {
        const approve = (by: Client['workflow']) =>
          said(by.getHandle(workflowId).executeUpdate('approve', { args: [{ by: 'Ann' }] }));
        await asks(own.workflow.getHandle<typeof leadPipeline>(workflowId));
        expect(await approve(workflow)).toContain('the update approve is refused: it is');
        expect(await approve(own.workflow)).toContain('Approved');
        expect(await own.workflow.getHandle(workflowId).result()).toMatchObject({ ended: 'done' });
        const late = await workflow.start(leadPipeline, { workflowId: `late-${workflowId}`, taskQueue, args: [ASKS] });
        expect(await said(late.result())).toContain('the input of this run is refused: it is');
      }
      // Both had chosen the same lead.
      expect(scene.stage.figures()).toMatchObject({ conversions: 1, spent: 1_000, paidTwice: 0 });
    }),
  LIMIT_MS,
);
