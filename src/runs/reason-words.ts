/**
 * What the stable codes say of which results and failures are made: how something ended, and why it was refused, skipped, left
 * or failed. Results keep the code; people read its words, of a reason with the code behind them. Imported by workflows. Pure.
 */
import { grouped } from '../text/numbers';
import { FailureType } from './failure-types';

/**
 * What each code says: goes on from 'why:'. Those of the service say no more than its status or code does. All of them stand in
 * docs/reference/reason-codes.md.
 */
export const REASON_WORDS: Readonly<Record<string, string>> = {
  // What the service answered.
  http400: 'the service did not accept the request',
  http403: 'the service does not allow it to this token or plan',
  http405: 'the service has no such call',
  http409: 'the service says that it conflicts with what it has',
  http410: 'the service no longer has it',
  http413: 'it is too large for the service',
  http415: 'the service does not take it in this form',
  http422: 'the service cannot use what was sent',
  http501: 'the service has no such call',
  PAT_MALFORMED: 'the token is malformed',
  PAT_NOT_SUPPORTED_FOR_ENDPOINT: 'the service takes no token for this call',
  PAT_ROUTE_NOT_ALLOWED: 'the token may not make this call',
  PAT_SCOPE_INSUFFICIENT: 'the token lacks the scope for this call',
  notAllowed: 'callApi.allow of the configuration does not name it, so nothing was sent',
  refused: 'the call does not fit its route, so nothing was sent',
  unreadableReply: 'the form of the reply is not known',
  // Limits, and what people decided or left open.
  overMaxConversions: 'maxConversions was reached',
  overMaxCredits: 'maxCredits was reached',
  overMaxItems: 'maxItems was reached',
  dryRun: 'it was only planned',
  notApproved: 'nobody approved it',
  nobodyDecided: 'a question was not answered in time',
  gaveUp: 'a person gave up on it',
  needsReview: 'it needs review by a person',
  stopped: 'the run was stopped before',
  cancelled: 'the run was cancelled',
  notBegun: 'it was not begun',
  withdrawn: 'the run that began it was stopped',
  // What became of it is open, or with others.
  inAnotherRun: 'another run has it',
  alreadyDone: 'it was done before',
  alreadyGone: 'it was not there any more',
  itsRunGoesOn: 'its own run goes on',
  ownRun: 'its own run goes on',
  notSettled: 'it is not known yet what became of its call',
  runEnded: 'its run was ended from outside',
  conversionEnded: 'the run of its conversion was ended from outside',
  TerminatedFailure: 'its run was ended by hand',
  CancelledFailure: 'its run was cancelled',
  TimeoutFailure: 'its run took too long',
  Failed: 'its run met a failure of its own',
  ActivityFailure: 'a step of its run failed',
  ChildWorkflowFailure: 'a run that it had begun failed',
  // As the server says of a run that had ended before it was asked about.
  TERMINATED: 'its run was ended by hand',
  CANCELLED: 'its run was cancelled',
  FAILED: 'its run failed',
  TIMED_OUT: 'its run took too long',
  NOT_FOUND: 'Temporal knows its run no longer',
  unreadableResult: 'the result of its run cannot be read',
  lineUnreadable: 'its line in the item ledger cannot be read',
  newBooks: 'the ledger has just replaced a lost one; the next sweep tries again',
  busy: 'the service or the account was busy; the next sweep tries again',
  projectNotFound: 'which project it became could not be found out',
  projectNotShown: 'the service does not show the project that it gave',
  captureNotShown: 'the service does not show the capture that it gave',
  paidButNotConverted: 'the call was answered, and the lead is not shown as converted',
  paidButNotFound: 'it was paid for, and cannot be found',
  submittedButNotFound: 'it was submitted, and cannot be found',
  replyLost: 'it was done, and the reply is lost',
  replyNotStored: 'it was done, and the reply could not be stored',
  // What was missing, late or wrong.
  prerequisitesMissing: 'what an audit needs was not there',
  analysisLimit: 'the plan allows no further analysis',
  auditFailed: 'the audit failed',
  analysisNotShown: 'the service does not show the new analysis',
  auditDeadline: 'the audit did not end in time',
  processingDeadline: 'the extraction did not end in time',
  extractionFailed: 'the extraction failed',
  documentsNotSettled: 'the service did not take in the documents in time',
  documentsMissing: 'documents were not uploaded in time',
  noteNotSubmitted: 'nobody submitted the note in time',
  noteChanged: 'the file of the note was changed or removed meanwhile',
  listCut: 'a list of the service was cut off',
  quarantined: 'the row could not become an item',
  // Failures, by their types.
  [FailureType.held]: 'the account was on hold',
  [FailureType.upstream]: 'the service did not answer, or not sensibly',
  [FailureType.refused]: 'the service refused',
  [FailureType.unreadable]: 'the form of the reply is not known',
  [FailureType.illegible]: 'data of the run cannot be read',
  [FailureType.wrongGuess]: "a setting of 'undocumented' does not fit this service",
  [FailureType.ledger]: 'the ledger could not answer',
  [FailureType.unknownAccount]: 'no worker has this account',
  [FailureType.storage]: 'the storage could not be used',
  [FailureType.badInput]: 'the input was wrong',
  StorageError: 'the storage lacks what was kept there',
  // Why a call never left.
  lateGrant: 'its grant was not in the books within the send window',
  ledgerSilent: 'the ledger did not answer within the send window',
  tooLate: 'it could not leave within the send window',
  balanceUnread: 'the balance could not be read, and a part of it must remain',
  // Holds, by their kinds.
  killSwitch: 'the service has switched its agent API off',
  token: 'the service does not accept the token',
  otherUser: "the token is another user's",
  noCredits: 'there are too few credits',
  books: 'the books in the storage lack what was paid, or are in another storage than before',
  manual: 'a person put it on hold',
};

const PLAN = 'planTooLow:';
const FOR_PERSON = 'person: ';

/** @param what the thing that was named by an ID, for what is not there. @returns undefined for a code without words */
function wordsOf(code: string, what: string): string | undefined {
  if (code === 'http404') return `no ${what} has this ID`;
  if (code.startsWith(PLAN)) return `the plan of the account must be ${code.slice(PLAN.length)} or higher`;
  const known = Object.hasOwn(REASON_WORDS, code) ? REASON_WORDS[code] : undefined;
  if (known !== undefined) return known;
  if (/^http4\d\d$/.test(code)) return 'the service refused';
  return /^http5\d\d$/.test(code) ? 'the service failed' : undefined;
}

/**
 * A reason for people: 'no lead has this ID (http404)'. One without words, such as a code that the service has made up, stays
 * as it is.
 * @param what the thing in question, such as 'lead'
 */
export function reasonInWords(code: string, what = 'record'): string {
  if (code.startsWith(FOR_PERSON)) return `a person looks: ${reasonInWords(code.slice(FOR_PERSON.length), what)}`;
  const words = wordsOf(code, what);
  return words === undefined ? code : `${words} (${code})`;
}

/** Behind a number, as in '3 already converted by somebody else', and at the beginning of a run's last sentence. */
const OUTCOMES: Readonly<Record<string, string>> = {
  done: 'done',
  planned: 'only planned',
  converted: 'converted',
  alreadyConverted: 'already converted by somebody else',
  audited: 'audited',
  processed: 'processed',
  accepted: 'accepted by a person',
  skipped: 'skipped',
  refused: 'refused',
  unresolved: 'unresolved',
  rejected: 'not approved',
  expired: 'ended by a deadline',
  stopped: 'stopped early',
  cancelled: 'cancelled',
  failed: 'failed',
  // Items of a batch.
  alreadyDone: 'done already',
  waiting: 'waiting',
  quarantined: 'quarantined',
  // Captures of a sweep.
  due: 'due',
  tooSoon: 'left to a later sweep',
  givenUp: 'given up',
  undated: 'left, since nothing says when they failed',
  reprocessed: 'extracted again',
  inAnotherRun: 'left to the run that has them',
  unknown: 'sent, with an unknown outcome',
  // Temporal's own endings of a run.
  runFailed: 'failed with an error',
  terminated: 'ended by hand',
  timedOut: 'took too long',
};

/** One that the service has made up stays as it is. */
export const outcomeInWords = (code: string): string =>
  Object.hasOwn(OUTCOMES, code) ? (OUTCOMES[code] ?? code) : code;

/** Counts of outcomes: '3 converted, 1 refused'; those of none are left out. */
export const outcomesInWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .flatMap(([outcome, count]) => (count > 0 ? [`${grouped(count)} ${outcomeInWords(outcome)}`] : []))
    .join(', ');

/** The last sentence of a run: 'Refused: no lead has this ID'. */
export const endedAs = (outcome: string, what: string): string =>
  `${outcomeInWords(outcome).replace(/^[a-z]/, (letter) => letter.toUpperCase())}: ${what}`;
