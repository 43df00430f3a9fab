/**
 * A client of Temporal as all of this project uses it: it encrypts when a key is set, its updates arrive, and no memo stops
 * its lists.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  type ClientOptions,
  type GetWorkflowHandleOptions,
  type ListOptions,
  ScheduleClient,
  WorkflowClient,
  type WorkflowClientInterceptor,
  type WorkflowHandle,
} from '@temporalio/client';
import type { DataConverter, Workflow } from '@temporalio/common';
import { dataConverter, encryptionCodec } from './encryption';
import type { Env } from './environment';
import { GRPC, grpcStatus } from './grpc-status';
import { namesMessages } from './message-names';
import { TolerantCodec } from './tolerant';

const TRIES = 6;
const RETRY_MS = 100;

/**
 * An update is aborted when the workflow task that carried it fails, which happens in a healthy run too: it wants to end
 * while something else has just arrived. Sent again under the same ID, it is still taken once.
 */
export const resendsUpdates: WorkflowClientInterceptor = {
  async startUpdate(input, next) {
    const options = { ...input.options, updateId: input.options.updateId ?? randomUUID() };
    for (let tried = 1; ; tried++)
      try {
        return await next({ ...input, options });
      } catch (error) {
        if (grpcStatus(error) !== GRPC.FAILED_PRECONDITION || tried === TRIES) throw error;
        await sleep(RETRY_MS * tried);
      }
  },
};

interface Base extends Required<Pick<ClientOptions, 'connection' | 'namespace'>> {
  dataConverter?: DataConverter;
}

/** Memos come with lists and descriptions, and anybody can start a run with one that nobody can read. */
class ListingWorkflowClient extends WorkflowClient {
  private readonly lists: WorkflowClient;

  constructor(base: Base, interceptors: WorkflowClientInterceptor[], tolerant: DataConverter) {
    super({ ...base, interceptors });
    this.lists = new WorkflowClient({ ...base, dataConverter: tolerant });
  }

  override list(options?: ListOptions) {
    return this.lists.list(options);
  }

  override getHandle<T extends Workflow>(
    workflowId: string,
    runId?: string,
    options?: GetWorkflowHandleOptions,
  ): WorkflowHandle<T> {
    const shown = this.lists.getHandle<T>(workflowId, runId, options);
    return { ...super.getHandle<T>(workflowId, runId, options), describe: () => shown.describe() };
  }
}

class ListingScheduleClient extends ScheduleClient {
  private readonly lists: ScheduleClient;

  constructor(base: Base, tolerant: DataConverter) {
    super(base);
    this.lists = new ScheduleClient({ ...base, dataConverter: tolerant });
  }

  override list(options?: Parameters<ScheduleClient['list']>[0]) {
    return this.lists.list(options);
  }
}

class ListingClient extends Client {
  override readonly workflow: WorkflowClient;
  override readonly schedule: ScheduleClient;

  constructor(base: Base, interceptors: WorkflowClientInterceptor[], tolerant: DataConverter) {
    super({ ...base, interceptors: { workflow: interceptors } });
    this.workflow = new ListingWorkflowClient(base, interceptors, tolerant);
    this.schedule = new ListingScheduleClient(base, tolerant);
  }
}

/** @param env where the key is: see `encryption.ts`. @default process.env */
export function createClient(
  { connection, namespace }: Required<Pick<ClientOptions, 'connection' | 'namespace'>>,
  env: Env = process.env,
): Client {
  const codec = encryptionCodec(env, namespace);
  const converter = dataConverter(env, namespace, codec);
  const tolerant = { payloadCodecs: [new TolerantCodec(codec, { isFleets: async () => false })] };
  const base = { connection, namespace, ...(converter && { dataConverter: converter }) };
  return new ListingClient(base, [resendsUpdates, namesMessages], tolerant);
}
