/** Messages with any payloads, past every check of a client. */
import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { Perform } from './act';
import { LIES } from './garbage';
import type { World } from './world';

type IPayload = temporal.api.common.v1.IPayload;
const { UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED: COMPLETED } =
  temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage;

const AT_ONCE = 5;
/** A handler that answers, refuses or fails does so within this; a run whose tasks fail does not answer. */
const PATIENCE_MS = 4_000;

const within = <T>(world: World, work: () => Promise<T>): Promise<T | undefined> =>
  world.stage.temporal.connection.withDeadline(Date.now() + PATIENCE_MS, work).catch(() => undefined);

export const sendSignal = (world: World, workflowId: string, signalName: string, payloads: IPayload[]) =>
  within(world, () =>
    world.service.signalWorkflowExecution({
      ...{ namespace: world.namespace, workflowExecution: { workflowId } },
      ...{ signalName, input: { payloads }, requestId: randomUUID(), identity: 'case' },
    }),
  );

export const sendUpdate = (world: World, workflowId: string, name: string, payloads: IPayload[]) =>
  within(world, () =>
    world.service.updateWorkflowExecution({
      ...{ namespace: world.namespace, workflowExecution: { workflowId } },
      waitPolicy: { lifecycleStage: COMPLETED },
      request: { meta: { updateId: randomUUID(), identity: 'case' }, input: { name, args: { payloads } } },
    }),
  );

export const sendQuery = (world: World, workflowId: string, queryType: string, payloads: IPayload[]) =>
  within(world, () =>
    world.service.queryWorkflow({
      ...{ namespace: world.namespace, execution: { workflowId } },
      query: { queryType, queryArgs: { payloads } },
    }),
  );

/** The names that the run itself has handlers for. */
export async function namesOf(
  world: World,
  workflowId: string,
  kind: 'update' | 'signal' | 'query',
): Promise<string[]> {
  const metadata = await within(world, () =>
    world.client.workflow.getHandle(workflowId).query<unknown>('__temporal_workflow_metadata'),
  );
  const definition = field(metadata, 'definition');
  const list = field(definition, `${kind}Definitions`);
  return Array.isArray(list) ? list.flatMap((one) => (typeof one?.name === 'string' ? [one.name] : [])) : [];
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Every update or signal or query that the run takes, and some that it does not, with each of these. */
export const garbage =
  (kind: 'update' | 'signal' | 'query', things: readonly (readonly [string, IPayload[]])[]): Perform =>
  async (world, { workflowId }) => {
    const names = [...(await namesOf(world, workflowId, kind)), 'noSuchName', '__proto__', 'constructor'];
    const send = { update: sendUpdate, signal: sendSignal, query: sendQuery }[kind];
    // One after the other what changes a run: few are taken at once.
    for (const name of names)
      for (let i = 0; i < things.length; i += AT_ONCE)
        await Promise.all(things.slice(i, i + AT_ONCE).map(([, payloads]) => send(world, workflowId, name, payloads)));
    return undefined;
  };

/** A ledger's messages with what it must refuse. */
export const lies: Perform = async (world, { workflowId }) => {
  for (const [name, said] of LIES) await sendUpdate(world, workflowId, name, [defaultPayloadConverter.toPayload(said)]);
  return undefined;
};

/** A message that is right but for who says it. */
export const says =
  (name: string, said: object): Perform =>
  async (world, { workflowId }) =>
    void (await sendUpdate(world, workflowId, name, [defaultPayloadConverter.toPayload(said)]));
