/** The error at the bottom: what the server or the system said. */
export function rootCause(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0)
    return rootCause(error.errors[0]);
  return error.cause instanceof Error ? rootCause(error.cause) : error;
}

/** Its message. */
export function rootMessage(error: unknown): string {
  const root = rootCause(error);
  return root instanceof Error ? root.message : String(root);
}
