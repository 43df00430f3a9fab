/** How requests to the Temporal server are repeated. */
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import { GRPC } from './grpc-status';

/** Of one request that has no time limit of its own, with its repetitions: longer than the server keeps a long poll open. */
const REQUEST_MS = 60_000;

type Interceptor = ReturnType<typeof makeGrpcRetryInterceptor>;
type NextCall = Parameters<Interceptor>[1];
type Call = ReturnType<NextCall>;
type Metadata = Parameters<Call['start']>[0];

const repeats = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
const once = makeGrpcRetryInterceptor({ ...defaultGrpcRetryOptions(), retryableDecider: () => false });

/** Repeats as the SDK does, and never waits for ever: a server that takes a request and says nothing is a failure, too. */
export const repeated: Interceptor = (options, next) =>
  // Whether a server refuses a poll is asked to know it, not to get work (`pollers.ts`).
  options.method_definition?.path.includes('/Poll')
    ? once(options, next)
    : repeats({ ...options, deadline: options.deadline ?? Date.now() + REQUEST_MS }, whileOpen(next));

/**
 * A repetition that comes due when the connection is closed fails the request. The SDK makes it in a timer, where what the
 * closed connection throws would end the process.
 */
function whileOpen(next: NextCall): NextCall {
  let isFirst = true;
  return (options) => {
    if (isFirst) {
      isFirst = false;
      return next(options);
    }
    try {
      return next(options);
    } catch (error) {
      return new Failed(`${error}`);
    }
  };
}

/** A call that has failed by the time it starts. */
class Failed implements Call {
  constructor(private readonly details: string) {}

  start(metadata: Metadata, listener?: Parameters<Call['start']>[1]): void {
    listener?.onReceiveStatus?.({ code: GRPC.CANCELLED, details: this.details, metadata });
  }

  getPeer = () => '';
  getAuthContext = () => null;
  cancelWithStatus(): void {}
  sendMessage(): void {}
  sendMessageWithContext(): void {}
  startRead(): void {}
  halfClose(): void {}
}
