/** What the service answers, before it is written to the connection. A body of `undefined` is an empty one. */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export const ok = (body: unknown, status = 200): Reply => ({ status, body });

/** An error answer, in one of the shapes of agent-api.md, "Errors". */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: number,
    message: string,
    readonly extra: { code?: string; currentTier?: string; requiredTier?: string; upgradeUrl?: string } = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }

  reply(): Reply {
    return { status: this.status, body: { error: this.message, ...this.extra }, headers: this.headers };
  }
}

export const badRequest = (message: string, code?: string) => new Refusal(400, message, code ? { code } : {});

/** The row, or the 404 that a missing row and another user's row share. */
export function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new Refusal(404, `${what} not found`);
  return row;
}
