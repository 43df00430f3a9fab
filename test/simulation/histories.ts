/** Plays a few stories in which nothing goes wrong, and prints the histories of their runs as event types. */
import { Scene } from './stories/scene';

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
  ],
} as const;

/** Which lead it is, the data of the story do not know. */
export const withLead = (input: object, leadId: string): object => ('leadId' in input ? { ...input, leadId } : input);

async function main(): Promise<void> {
  const { durations, ...rest } = CALM.sandbox;
  const scene = new Scene(1, { leads: CALM.sandbox.leads, workers: 1, sandbox: { ...rest, durations } });
  const { server, world } = scene;
  const first = scene.leads.find(({ surveyStatus }) => surveyStatus === 'completed');
  const histories: Record<string, string[]> = {};
  while (world.elapsed < 60_000 && (await world.step()));
  for (const { type, workflowId, input } of CALM.runs) {
    scene.start(type, workflowId, withLead(input, first?.id ?? ''));
    while (server.current(workflowId)?.isOpen && (await world.step()));
    histories[workflowId] = server.current(workflowId)?.history.map((event) => event.type) ?? [];
  }
  console.log(JSON.stringify(histories));
  scene.close();
}

if (require.main === module) void main();
