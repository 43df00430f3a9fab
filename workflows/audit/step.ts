/** What the steps of an audit share. */
import type { Priority } from '@temporalio/common';
import type { AccountFacts } from '../../activities/account';
import type { AuditProjectInput } from '../../src/policy/inputs/audit-project';
import type { Asker } from '../shared/asker';
import type { Status } from '../shared/status';

/** The run that a step belongs to. */
export interface At {
  readonly account: string;
  readonly input: AuditProjectInput;
  readonly facts: AccountFacts;
  readonly status: Status;
  readonly asker: Asker;
  readonly place: Priority;
  /** The run whose budget counts, and its cap in credits. */
  readonly run: { key: string; maxCredits: number };
  /** What a person should know of the result, one sentence each. */
  readonly notes: string[];
}

/** How an audit ends before its report. */
export type EarlyEnd = 'skipped' | 'refused' | 'unresolved' | 'expired' | 'failed';

/** Ends the run from inside a step; no failure: what was done and paid for stays in the result (S6). */
export class Stop extends Error {
  override readonly name = 'Stop';
  constructor(
    readonly outcome: EarlyEnd,
    /** A stable code. */
    readonly reason: string,
    /** What it means and what to do next, for a person. */
    readonly sentence: string,
  ) {
    super(sentence);
  }
}

/** Why a person is asked. */
export const UNKNOWN_TWICE = 'Twice it stayed unknown whether it happened, and both times it had not.';
export const CANNOT_TELL = 'The API does not say whether it happened.';
