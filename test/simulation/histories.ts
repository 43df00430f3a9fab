/** Plays a few stories in which nothing goes wrong, and prints the histories of their runs as event types. */
import { shownBy } from './engine/proto';
import { Scene } from './stories/scene';

/** A document of the storage that names leads. */
export const CONVERTED = 'converted.jsonl';

interface Lead {
  readonly id: string;
  readonly surveyStatus: string;
}

/** What it says of those that are converted. */
export const converted = (leads: readonly Lead[]): string =>
  leads
    .flatMap(({ id, surveyStatus }) => (surveyStatus === 'converted' ? `${JSON.stringify({ leadId: id })}\n` : []))
    .join('');

/** The same in the engine and on the real server. */
export const CALM = {
  sandbox: { seed: 7, leads: 12, projects: 2, captures: 1, durations: { convert: 50 } },
  runs: [
    { type: 'convertLead', workflowId: 'one', input: { leadId: 'the first' } },
    { type: 'convertLead', workflowId: 'again', input: { leadId: 'the first' } },
    { type: 'convertLead', workflowId: 'wrong', input: { lead: 'x' } },
    { type: 'leadPipeline', workflowId: 'plan', input: { dryRun: true } },
    {
      type: 'leadPipeline',
      workflowId: 'some',
      input: { approval: 'none', scoring: { minReadiness: 10 }, maxConversions: 3, concurrency: 1 },
    },
    // Of what is converted by then: one lead under an ID that nobody has taken, the others under those of their runs.
    {
      type: 'backfill',
      workflowId: 'batch',
      input: { operation: 'convertLead', file: { ref: CONVERTED }, approval: 'none', window: 1 },
    },
  ],
} as const;

/** Of those, which are reset when they have ended: to the first workflow task after the so manieth event of a type. */
export const RESETS = [
  { workflowId: 'one', after: 'ActivityTaskCompleted', nth: 2 },
  // One child has ended by then, the next one is under way.
  { workflowId: 'some', after: 'ChildWorkflowExecutionStarted', nth: 2 },
  // The child that it begins, and does not know any more, has done its item.
  { workflowId: 'batch', after: '', nth: 0 },
] as const;

/** A run that is reset to its beginning while it waits for an approval, after a person has paused it. */
export const OPEN = {
  ...{ type: 'leadPipeline', workflowId: 'asked', input: { approval: 'all', scoring: { minReadiness: 10 } } },
  pause: ['pause', { by: 'Ann' }],
  reject: ['reject', { by: 'Ann' }],
} as const;

/** The same, where it is no reset: the server goes back to a backup from before the pause. */
export const GONE_BACK = 'asked before the backup';

/** @returns the place of the end of the task, in a history of event types */
export function resetPoint(types: readonly string[], after: string, nth: number): number {
  const from = types.flatMap((type, n) => (type === after ? n : [])).at(nth - 1) ?? 0;
  return types.indexOf('WorkflowTaskCompleted', from);
}

/** Which lead it is, the data of the story do not know. */
export const withLead = (input: object, leadId: string): object => ('leadId' in input ? { ...input, leadId } : input);

async function main(): Promise<void> {
  const { durations, ...rest } = CALM.sandbox;
  const scene = new Scene(1, { leads: CALM.sandbox.leads, workers: 1, sandbox: { ...rest, durations } });
  const { server, world } = scene;
  const first = scene.leads.find(({ surveyStatus }) => surveyStatus === 'completed');
  const histories: Record<string, string[]> = {};
  const until = async (done: () => boolean) => {
    while (!done() && (await world.step()));
  };
  const typesOf = (workflowId: string) => server.current(workflowId)?.history.map((event) => event.type) ?? [];
  /** @param point the place of an end of a workflow task in the history */
  const reset = (workflowId: string, point: number) => {
    const run = server.find({ workflowId });
    return server.reset(
      run,
      run.points.findIndex(({ events }) => events === point),
    );
  };
  // Whatever it does beside asking is done: which of two things comes first is chance.
  const isAsking = (workflowId: string) => {
    const run = server.current(workflowId);
    return shownBy(run?.searchAttributes.Stage) === 'approval' && !run?.tasks.current && run?.activities.size === 0;
  };
  await until(() => world.elapsed > 60_000);
  for (const { type, workflowId, input } of CALM.runs) {
    scene.storage.documents.set(CONVERTED, Buffer.from(converted(scene.control.leads())));
    scene.start(type, workflowId, withLead(input, first?.id ?? ''));
    await until(() => !server.current(workflowId)?.isOpen);
    histories[workflowId] = typesOf(workflowId);
  }
  for (const { workflowId, after, nth } of RESETS) {
    const run = reset(workflowId, resetPoint(typesOf(workflowId), after, nth));
    await until(() => !run.isOpen);
    histories[`${workflowId} again`] = typesOf(workflowId);
  }
  const { type, input, pause, reject } = OPEN;
  const say = async (workflowId: string, [update, said]: readonly [string, object]) => {
    await until(() => isAsking(workflowId));
    let isSaid = false;
    void scene.client.workflow
      .getHandle(workflowId)
      .executeUpdate(update, { args: [said] })
      .then(() => {
        isSaid = true;
      });
    await until(() => isSaid);
  };
  for (const workflowId of [OPEN.workflowId, GONE_BACK]) {
    scene.start(type, workflowId, input);
    await until(() => isAsking(workflowId));
    const back = server.backUp();
    await say(workflowId, pause);
    if (workflowId === GONE_BACK) back();
    else reset(workflowId, resetPoint(typesOf(workflowId), '', 0));
    await say(workflowId, reject);
    await until(() => !server.current(workflowId)?.isOpen);
    histories[workflowId] = typesOf(workflowId);
  }
  console.log(JSON.stringify(histories));
  scene.close();
}

if (require.main === module) void main();
