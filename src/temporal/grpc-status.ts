import { isGrpcServiceError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { rootMessage } from '../root-cause';

/** The gRPC status codes that are told apart here. */
export const GRPC = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** The gRPC status of an error or of what caused it; undefined when it is not from a server. */
export function grpcStatus(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code;
  return error instanceof Error && error.cause !== undefined ? grpcStatus(error.cause) : undefined;
}

/** What the server said, without the codes of gRPC. */
export const serverWords = (error: unknown): string => rootMessage(error).replace(/^\d+ [A-Z_]+: /, '');

/** A query or a start names a search attribute that the namespace does not have. */
export const isUnprepared = (error: unknown): boolean =>
  grpcStatus(error) === GRPC.INVALID_ARGUMENT && /search attribute/i.test(rootMessage(error));

const REFUSED: readonly number[] = [GRPC.PERMISSION_DENIED, GRPC.UNIMPLEMENTED, GRPC.UNAUTHENTICATED];

/** The server does not do it for us, or not at all. */
export const isRefusal = (error: unknown): boolean => REFUSED.includes(grpcStatus(error) ?? -1);

const LOST: readonly number[] = [GRPC.UNAVAILABLE, GRPC.PERMISSION_DENIED, GRPC.UNAUTHENTICATED];

/** It is the server that is away or refuses us, not a worker that does not answer. */
export const isLost = (error: unknown): boolean => LOST.includes(grpcStatus(error) ?? -1);

const PASSING: readonly number[] = [
  ...[GRPC.DEADLINE_EXCEEDED, GRPC.RESOURCE_EXHAUSTED, GRPC.ABORTED, GRPC.INTERNAL, GRPC.UNAVAILABLE],
  // The workflow task that carried an update failed.
  GRPC.FAILED_PRECONDITION,
];

/** Faults of the server that pass: with its update ID an update may be sent again. */
export function isPassing(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  return PASSING.includes(grpcStatus(error) ?? -1);
}
