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
