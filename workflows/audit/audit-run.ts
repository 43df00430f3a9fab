/** What the steps of an audit share. */
import type { Priority } from '@temporalio/common';
import type { AccountFacts } from '../../activities/account';
import type { AuditProjectInput } from '../../src/inputs/audit-project';
import type { Asker } from '../shared/asker';
import { notShownUntil, retryUntilAnswered } from '../shared/calls';
import type { ProjectChoice } from '../shared/choose-project';
import type { Status } from '../shared/status';

/** The project, how it came about, and what it cost this run: told as soon as it is known, for the result (S6). */
export interface Taken {
  projectId?: string;
  /** `found`: a project with this reference was there already. */
  how?: 'given' | 'created' | 'found' | 'converted' | 'alreadyConverted';
  credits: number;
  /** A look has found them paid: an earlier run with the same budget may have told them. */
  paidBefore?: true;
  /** Until when the service may not show the project yet; 0 for one that a person named. */
  freshUntil: number;
}

/** The run that a step belongs to. */
export interface AuditRun {
  readonly account: string;
  readonly input: AuditProjectInput;
  readonly facts: AccountFacts;
  readonly status: Status;
  readonly asker: Asker;
  readonly choice: ProjectChoice;
  readonly place: Priority;
  /** The run whose budget counts, and its cap in credits. */
  readonly run: { key: string; maxCredits: number };
  readonly taken: Taken;
  /** What a person should know of the result, one sentence each. */
  readonly notes: string[];
}

/** A read of the run's project, or of what belongs to it. */
export const ofProject = <T>({ status, facts, account, taken }: AuditRun, call: () => Promise<T>): Promise<T> =>
  retryUntilAnswered(status, facts, account, call, taken.freshUntil);

/** Notes which project it is. @returns its ID */
export function take(at: AuditRun, taken: Partial<Taken> & Required<Pick<Taken, 'projectId' | 'how'>>): string {
  Object.assign(at.taken, { freshUntil: notShownUntil(at.facts), ...taken });
  return taken.projectId;
}
