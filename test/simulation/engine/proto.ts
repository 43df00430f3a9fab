/** The forms in which Temporal speaks, as far as both sides of the simulation need them. */
import type { coresdk, temporal } from '@temporalio/proto';
import { temporal as api } from '@temporalio/proto';
import Long from 'long';

export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Command = coresdk.workflow_commands.IWorkflowCommand;
export type Payload = temporal.api.common.v1.IPayload;
export type Failure = temporal.api.failure.v1.IFailure;
export type SearchAttributes = Record<string, Payload>;
export type Memo = Record<string, Payload>;

const { RetryState, TimeoutType } = api.api.enums.v1;

export { RetryState, TimeoutType };

type Duration = { seconds?: Long | number | null; nanos?: number | null } | null | undefined;

export const ms = (duration: Duration): number | undefined =>
  duration ? Number(duration.seconds ?? 0) * 1_000 + Math.floor((duration.nanos ?? 0) / 1e6) : undefined;

export const timestamp = (at: number) => ({
  seconds: Long.fromNumber(Math.floor(at / 1_000)),
  nanos: (at % 1_000) * 1e6,
});

/** What a search attribute holds. */
export const shownBy = (payload: Payload | undefined): unknown =>
  payload?.data && payload.data.length > 0 ? JSON.parse(Buffer.from(payload.data).toString()) : undefined;

export const timedOut = (type: keyof typeof TimeoutType, message: string, cause?: Failure): Failure => ({
  message,
  timeoutFailureInfo: { timeoutType: TimeoutType[type] },
  ...(cause && { cause }),
});

/** What it is at bottom. */
export const rootOf = (failure: Failure | null | undefined): string =>
  failure?.cause ? rootOf(failure.cause) : (failure?.message ?? '');

export const canceled = (): Failure => ({ message: 'canceled', source: 'Server', canceledFailureInfo: {} });

export const NAMESPACE = 'default';

/** Nothing comes after it. */
export const endsRun = (command: Command): boolean =>
  Boolean(
    command.completeWorkflowExecution ||
      command.failWorkflowExecution ||
      command.cancelWorkflowExecution ||
      command.continueAsNewWorkflowExecution,
  );

/** An answer of the server that is none. */
export class GrpcError extends Error {
  override readonly name = 'ServiceError';
  readonly metadata = { get: () => [], getMap: () => ({}) };
  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    // As gRPC words it.
    super(`${code} ${Object.entries(GRPC).find(([, one]) => one === code)?.[0]}: ${details}`);
  }
}

export const GRPC = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
} as const;
