/** What the two ways of making a call share. */
import type { Priority } from '@temporalio/common';
import type { AccountFacts } from '../../activities/account';
import type { CallPlan, Replied } from '../../activities/any-call';
import type { CallApiInput } from '../../src/inputs/call-api';
import type { Asker } from '../shared/asker';
import type { Status } from '../shared/status';

/** The run that a call belongs to. */
export interface CallRun {
  readonly input: CallApiInput;
  readonly plan: CallPlan;
  readonly facts: AccountFacts;
  readonly status: Status;
  readonly asker: Asker;
  readonly place: Priority;
  /** The run's key in the ledger. */
  readonly run: string;
  /** The call for a person: its route and identifier. */
  readonly name: string;
}

/** How a call ended. */
export interface End {
  /** `refused` by the service; `skipped`: a cap; `unresolved`: nobody could tell, or nobody decided. */
  outcome: 'done' | 'refused' | 'unresolved' | 'skipped';
  /** A stable code where it is not simply done. */
  reason?: string;
  /** HTTP status, where there was a reply. */
  status?: number;
  /** For a person. */
  sentence: string;
  /** Credits that the call cost, as booked. */
  credits: number;
  replied?: Replied;
}
