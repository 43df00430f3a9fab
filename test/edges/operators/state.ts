/** A state in which a workflow waits: how to get there, and what people do in the end so that it goes on. */
import { until } from '../../support/until';
import type { OpenRun, World, WorldOptions } from './world';

/** The run that is acted on. */
export interface Target {
  workflowId: string;
  type: string;
  args: readonly unknown[];
}

export interface State {
  /** `{workflow}.{what it waits for}` */
  name: string;
  world?: WorldOptions;
  enter(world: World): Promise<Target>;
  /** What people do then, again and again, with each run that is open. */
  release?(world: World, run: OpenRun): Promise<unknown>;
  /** What is acted on. @default 'run' */
  of?: 'run' | 'ledger' | 'nothing';
  /** One of its workflow: here everything is tried, elsewhere what may come out otherwise than here. */
  typical?: boolean;
  /** Something is, or is about to be, in the ledger: that is acted on as well. */
  pays?: boolean;
}

interface Row extends Omit<State, 'name' | 'enter' | 'of'> {
  input(world: World): unknown;
  /** What happens first. */
  before?(world: World): Promise<void> | void;
  /** When it is in the state. */
  reached(world: World, workflowId: string): boolean | Promise<boolean>;
  /** What happens last. */
  after?(world: World): Promise<void>;
}

let runs = 0;

/** A state of a run that a person has started. */
export const state = (name: string, { input, before, reached, after, ...more }: Row): State => ({
  name,
  ...more,
  async enter(world) {
    await before?.(world);
    const [type = ''] = name.split('.');
    const target = { workflowId: `${type}-${++runs}`, type, args: [input(world)] };
    await world.start(type, target.workflowId, ...target.args);
    await until(() => reached(world, target.workflowId), 240_000).catch(async (error) => {
      const details = await world.detailsOf(target.workflowId);
      throw new Error(`the state was not reached: ${details}`, { cause: error });
    });
    await after?.(world);
    return target;
  },
});

/** A request of this route has arrived. */
export const calls =
  (route: Parameters<World['called']>[0], times = 1) =>
  (world: World): boolean =>
    world.called(route) >= times;

/** Its current details say so. */
export const says =
  (what: RegExp) =>
  async (world: World, workflowId: string): Promise<boolean> =>
    what.test((await world.detailsOf(workflowId)) ?? '');

/** An update that people send to each run that waits for it; who does not refuses it. */
export const answer =
  (update: string, said: object = {}, when = new RegExp(`\`${update}\``)) =>
  async ({ client }: World, { workflowId, details = '' }: OpenRun): Promise<unknown> =>
    when.test(details)
      ? client.workflow
          .getHandle(workflowId)
          .executeUpdate(update, { args: [said] })
          .catch(() => undefined)
      : undefined;
