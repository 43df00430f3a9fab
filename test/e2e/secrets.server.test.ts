/** S4: the token and prospects' personal data are nowhere that outlives a call, whatever went wrong meanwhile. */

import { leadPipeline } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';

import { UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { leaks, type Place, placesOfFiles, placesOfRuns, secretsOf } from './support/leaks';
import { inScene, Scene } from './support/scene';
import type { WorkerProcess } from './support/worker-process';

let scene: Scene;
let worker: WorkerProcess;
beforeAll(async () => {
  // So many that their decisions are kept in the storage.
  scene = await Scene.open({
    sandbox: { leads: 1_200, credits: 100_000 },
    account: { showNames: 'none', timing: UNHURRIED },
  });
  worker = await scene.worker({ LOG_LEVEL: 'trace' });
});
afterAll(() => scene.close());

const pipeline = (workflowId: string, input: Parameters<typeof leadPipeline>[0]) =>
  scene.stage.temporal.client.workflow.start(leadPipeline, { workflowId, taskQueue: 'audit-runner', args: [input] });
const outcome = (run: { result(): Promise<unknown> }) =>
  run.result().then(
    () => 'ended',
    () => 'failed',
  );

test('no token, name, e-mail address or phone number in histories, descriptions, details, logs and files', async () => {
  const { control } = scene.stage.sandbox;
  const { client } = scene.stage.temporal;
  for (const fault of ['garbage', 'replyLost', 'statusAfterCommit', 'html', 'cutBeforeCommit'] as const)
    control.addFault({ route: 'leads.convert', fault });
  control.addFault({ route: 'leads.list', fault: 'html' });
  control.addFault({ route: 'projects.list', fault: 'status', status: 500, times: 2 });
  control.addFault({ route: 'leads.get', fault: 'status', status: 429, retryAfter: 1 });
  const chosen = await pipeline('morning', { maxConversions: 6 });
  expect(await outcome(chosen)).toBe('ended');

  // A reply that cannot be read ends a run, with a failure that quotes nothing of it.
  control.addFault({ route: 'leads.list', fault: 'garbage' });
  await outcome(await pipeline('unreadable list', { dryRun: true }));
  control.addFault({ route: 'leads.get', fault: 'garbage' });
  await outcome(await scene.convert(scene.lead(), 'unreadable lead'));

  control.setAiKey({ present: false });
  expect(await (await scene.convert(scene.lead(), 'refused')).result()).toMatchObject({ outcome: 'refused' });
  control.setAiKey({ present: true });

  control.setAgentApi({ enabled: false });
  const held = await scene.convert(scene.lead(), 'held');
  await until(async () => (await held.query(progressQuery)).waiting?.includes('on hold') === true);
  control.setAgentApi({ enabled: true });
  expect(await held.result()).toMatchObject({ outcome: 'converted' });
  expect(await (await scene.convert('no-such-lead', 'missing')).result()).toMatchObject({
    outcome: 'refused',
    reason: 'http404',
  });

  const runs = ['morning', 'unreadable list', 'unreadable lead', 'refused', 'held', 'missing', scene.stage.ledgerId];
  let places: Place[] = [];
  await until(async () => {
    places = await placesOfRuns(client);
    return runs.every((id) => places.some(({ where }) => where === `history of ${id}`));
  });
  const files = placesOfFiles(`${scene.stage.folder}/storage`);
  // What is looked through is there at all: a decision in the storage, a line of each level in the log.
  expect(files.some(({ text }) => text.includes('"decision":"skip"'))).toBe(true);
  for (const level of [10, 20, 30]) expect(worker.output).toContain(`"level":${level}`);
  const found = leaks([...places, ...files, { where: 'log', text: worker.output }], secretsOf(scene.stage.sandbox));
  expect(found).toEqual([]);
});

test('where names of businesses are shown, they are of leads that may be converted, and in no log', () =>
  inScene({}, async (named) => {
    const log = await named.worker({ LOG_LEVEL: 'trace' });
    const { client } = named.stage.temporal;
    const args: Parameters<typeof leadPipeline> = [{ dryRun: true }];
    const run = await client.workflow.start(leadPipeline, { workflowId: 'shown', taskQueue: 'audit-runner', args });
    const { decisions } = await run.result();
    const verdicts = 'inline' in decisions ? decisions.inline : [];
    expect(verdicts.some(({ name, decision }) => name !== undefined && decision === 'convert')).toBe(true);
    const ofNoUse = verdicts.filter(
      ({ name, reasons }) => name !== undefined && !/meetsAll|overMax/.test(reasons.join()),
    );
    expect(ofNoUse).toEqual([]);
    const secrets = secretsOf(named.stage.sandbox);
    expect(leaks([{ where: 'log', text: log.output }], secrets)).toEqual([]);
    const found = leaks([{ where: 'result', text: JSON.stringify(verdicts) }], secrets);
    expect(found.filter((line) => !line.startsWith('businessName'))).toEqual([]);
  }));

test('negative control: a name that a person writes into an input is found, and so is a token in a log', async () => {
  const { sandbox, temporal } = scene.stage;
  const [lead] = sandbox.control.leads();
  const run = await pipeline('named', { dryRun: true, scoring: { exclude: { names: [lead?.clientName ?? ''] } } });
  await run.result();
  let found: string[] = [];
  await until(async () => {
    const places = await placesOfRuns(temporal.client);
    found = leaks([...places, { where: 'log', text: `Bearer ${sandbox.token}` }], secretsOf(sandbox));
    return found.some((line) => line.includes('history of named'));
  });
  expect(found).toContain('the token: log');
  expect(found.some((line) => /^clientName of .*: history of named$/.test(line))).toBe(true);
});
