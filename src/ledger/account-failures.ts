/** Which failures of a call are the account's and not the call's: agent-api.md, "Errors" and "Authentication". */
import type { Failure } from '../agent-api/failure';
import type { Refusal } from '../runs/failure-types';
import type { HoldKind } from '.';

export interface HoldCause {
  kind: Exclude<HoldKind, 'manual' | 'books'>;
  reason: string;
}

/** The hold that a failure calls for, if any. Every other call of the account would fail the same way. */
export function holdCause(failure: Failure): HoldCause | undefined {
  if (failure.kind === 'notSent' && failure.reason === 'token')
    return { kind: 'token', reason: 'the configured token is malformed' };
  if (failure.kind !== 'rejected') return undefined;
  if (failure.status === 503 && failure.code === 'PAT_DISABLED')
    return { kind: 'killSwitch', reason: '503 PAT_DISABLED' };
  if (failure.status === 401) return { kind: 'token', reason: `401${failure.code ? ` ${failure.code}` : ''}` };
  if (failure.status === 402) return { kind: 'noCredits', reason: '402' };
  return undefined;
}

/** Why a call was refused, as a stable reason code. The service's own words stay out of it (S4). */
export function refusalReason({ status, code, requiredTier }: Refusal): string {
  if (requiredTier) return `planTooLow:${requiredTier}`;
  if (code) return code;
  return status === 0 ? 'refused' : `http${status}`;
}

/** Refusals that every other item of the account would meet too; a pipeline stops at the first. */
export const concernsAccount = (reason: string): boolean =>
  reason.startsWith('planTooLow:') || reason.startsWith('PAT_') || reason === 'http403';
