/** A client's connection to the simulated server: the real client of the SDK speaks over it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConnectionLike } from '@temporalio/client';
import type { Mishaps } from '../engine/mishaps';
import { GRPC, GrpcError } from '../engine/proto';
import { here } from '../world/world';

interface CallContext {
  deadline?: number | Date;
  abortSignal?: AbortSignal;
}

/** Of a request without a limit of its own. */
const LONGEST_MS = 60_000;
/** As the SDK does where the server cannot be reached: so often, less and less often, and then it gives up. */
const TRIES = 10;
const FIRST_AGAIN_MS = 100;
const AGAIN_FACTOR = 1.7;
const MOST_AGAIN_MS = 5_000;

/** One for all worlds: each costs every promise a little, for good. */
const contexts = new AsyncLocalStorage<CallContext>();

export function connect(
  mishaps: Mishaps,
  latency: () => number,
  service: (method: string, request: unknown) => Promise<unknown>,
): ConnectionLike {
  const { world } = mishaps;
  const within = <R>(context: CallContext, fn: () => Promise<R>) =>
    contexts.run({ ...contexts.getStore(), ...context }, fn);

  function call(method: string, request: unknown): Promise<unknown> {
    const process = here.getStore();
    const { deadline, abortSignal } = contexts.getStore() ?? {};
    const left = deadline === undefined ? LONGEST_MS : Number(deadline) - Date.now();
    return new Promise((resolve, reject) => {
      if (process && !mishaps.crossing(process, method)) return;
      let isOver = false;
      const end = (how: () => void) => {
        if (isOver || process?.alive === false) return;
        isOver = true;
        late.cancelled = true;
        abortSignal?.removeEventListener('abort', abort);
        how();
      };
      const fail = (code: number, details: string) => end(() => reject(new GrpcError(code, details)));
      const late = world.after(left, () => fail(GRPC.DEADLINE_EXCEEDED, 'Deadline exceeded'), process);
      const abort = () => fail(GRPC.CANCELLED, 'Call cancelled');
      if (abortSignal?.aborted) return abort();
      abortSignal?.addEventListener('abort', abort);
      const attempt = (again: number, tries: number) => {
        if (isOver) return;
        // Lost on its way there, or on its way back: then it has had its effect, and is sent once more.
        const isLost = mishaps.happens('requestLost');
        const isReplyLost = !isLost && mishaps.happens('replyLost');
        const next = Math.min(MOST_AGAIN_MS, again * AGAIN_FACTOR);
        const retry = () =>
          tries === TRIES
            ? fail(GRPC.UNAVAILABLE, 'the server cannot be reached')
            : void world.after(again, () => attempt(next, tries + 1), process);
        if (isLost) return retry();
        const back = (how: () => void) => {
          if (isReplyLost) return retry();
          world.after(
            latency(),
            () => {
              if (!process || mishaps.crossing(process, `${method} answered`)) end(how);
            },
            process,
          );
        };
        // What has left arrives, whatever becomes of its sender.
        world.after(latency(), () =>
          here.exit(() => {
            service(method, request).then(
              (reply) => back(() => resolve(reply)),
              (error: unknown) => {
                if (error instanceof GrpcError && error.code === GRPC.UNAVAILABLE) return retry();
                back(() => reject(error));
              },
            );
          }),
        );
      };
      attempt(FIRST_AGAIN_MS, 1);
    });
  }

  const workflowService = new Proxy({} as ConnectionLike['workflowService'], {
    get: (_, method) => (typeof method === 'string' ? (request: unknown) => call(method, request) : undefined),
  });
  return {
    workflowService,
    operatorService: new Proxy({} as ConnectionLike['operatorService'], {}),
    plugins: [],
    close: async () => undefined,
    ensureConnected: async () => undefined,
    withDeadline: (deadline, fn) => within({ deadline }, fn),
    withMetadata: (_, fn) => fn(),
    withAbortSignal: (abortSignal, fn) => within({ abortSignal }, fn),
  };
}
