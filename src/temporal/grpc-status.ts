import { isGrpcServiceError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';

/** The gRPC status codes that are told apart here. */
export const GRPC = {
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

/** The message at the bottom of an error: what the server or the system said. */
export function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}

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
