/** Lists of runs that people ask for, as filters of the Web UI's list. Imported by workflows. Pure. */

import { quoted } from '../text/list-filter';
import { UNDONE_OUTCOMES } from './failed-outcomes';
import { BUDGET_STAGE } from './stages';

/**
 * Runs that ended without their work done. Most of them are Completed, with the reason in their result; Failed are those
 * whose input was wrong, or that met a defect.
 */
export const NOT_DONE = `Stage IN (${UNDONE_OUTCOMES.map((word) => `"${word}"`).join(', ')}) OR ExecutionStatus = "Failed"`;

export const UNDER_WAY = 'ExecutionStatus = "Running"';

export const WAITS_FOR_PERSON = 'NeedsPerson = true AND ExecutionStatus = "Running"';

/** The cap of the day or the floor of the balance keeps them. */
export const WAITS_FOR_CREDITS = `Stage = "${BUDGET_STAGE}" AND ExecutionStatus = "Running"`;

/** @param since a moment, ISO 8601 */
export const convertedSince = (since: string): string => `Stage = "converted" AND CloseTime >= "${since}"`;

/** Runs that have cost credits; those that began others have the sums of these. @param since a moment, ISO 8601 */
export const spentSince = (since: string): string => `CreditsSpent > 0 AND StartTime >= "${since}"`;

/**
 * The ledger that keeps an account: a list, since its ID has the user and not the account, and there may be one of an earlier
 * user. @param account none: all ledgers
 */
export const ledgersOf = (account?: string): string =>
  `ExecutionStatus = "Running" AND WorkflowType = "accountLedger"${account === undefined ? '' : ` AND Account = ${quoted(account)}`}`;
