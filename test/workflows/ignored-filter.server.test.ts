/** B8: where the service does not know the name of a filter, nothing is paid for, and the error names the setting. */
import { backfill } from '../../workflows';
import { type Stage, startStage } from '../support/stage';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    sandbox: { leads: 30 },
    // The stand-in ignores what it does not know, as most services do.
    account: {
      undocumented: { leadsList: { surveyLink: 'linkOfTheSurvey' }, capturesList: { project: 'theProject' } },
    },
  });
  await stage.startWorker();
});
afterAll(() => stage.close());

const taskQueue = 'audit-runner';
const surveyLink = () => stage.sandbox.control.leads().find(({ staticSlugId }) => staticSlugId)?.staticSlugId ?? '';
const causeOf = (run: { result(): Promise<unknown> }) =>
  run.result().then(
    (result) => result,
    (error) => error.cause?.cause ?? error.cause,
  );

test.each([
  ['a pipeline', 'leadPipeline', () => ({ surveyLink: surveyLink(), maxConversions: 12, maxCredits: 12_000 })],
  [
    'a backfill',
    'backfill',
    () => ({ operation: 'convertLead', leads: { surveyLink: surveyLink() }, maxCredits: 12_000 }) as const,
  ],
])('S3: %s converts nothing', async (name, workflow, input) => {
  const { client } = stage.temporal;
  const run = await client.workflow.start(workflow, { workflowId: name, taskQueue, args: [input()] });
  expect(await causeOf(run)).toMatchObject({
    type: 'WrongGuess',
    message: expect.stringContaining('undocumented.leadsList.surveyLink'),
  });
  expect(stage.figures()).toMatchObject({ converts: 0, spent: 0 });
});

test('captures of other projects are not extracted again', async () => {
  const { client } = stage.temporal;
  const run = await client.workflow.start(backfill, {
    ...{ workflowId: 'captures', taskQueue },
    args: [
      {
        operation: 'reprocessCapture',
        captures: { projectId: 'c1f0a0de-0000-4000-8000-000000000001' },
        maxCredits: 0,
      },
    ],
  });
  expect(await causeOf(run)).toMatchObject({ message: expect.stringContaining('undocumented.capturesList.project') });
  expect(stage.sandbox.control.stats().requests.byRoute['captures.reprocess'] ?? 0).toBe(0);
});
