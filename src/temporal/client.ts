/** A client of Temporal as all of this project uses it: it encrypts when a key is set, and its updates arrive. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientOptions, type WorkflowClientInterceptor } from '@temporalio/client';
import { dataConverter } from './encryption';
import type { Env } from './environment';
import { GRPC, grpcStatus } from './grpc-status';

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

/** @param env where the key is: see `encryption.ts`. @default process.env */
export function createClient(
  { connection, namespace }: Required<Pick<ClientOptions, 'connection' | 'namespace'>>,
  env: Env = process.env,
): Client {
  const converter = dataConverter(env);
  const interceptors = { workflow: [resendsUpdates] };
  return new Client({ connection, namespace, interceptors, ...(converter && { dataConverter: converter }) });
}
