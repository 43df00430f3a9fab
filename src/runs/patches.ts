/**
 * Changes of workflows that runs under way must not make half-way (`patched` of the Temporal SDK), each with the version
 * that brought it. A run that has taken one cannot be replayed by an earlier version.
 */
export const PATCHES = {
  accountQueue: '0.3.0',
  asksAgainAfterHand: '0.3.0',
  asksForOwnTry: '0.3.0',
  asksForUntold: '0.3.0',
  asksNobodyAfterRenewal: '0.3.0',
  asksWhenWithdrawn: '0.3.0',
  asksWhoseEnd: '0.3.0',
  auditsFoundLater: '0.3.0',
  booksWhatIsFree: '0.3.0',
  changesPaceAtOnce: '0.3.0',
  clipsTurns: '0.3.0',
  comparesBooks: '0.3.0',
  countsOwnPayments: '0.3.0',
  countsPaymentsOnce: '0.3.0',
  dropsPromises: '0.3.0',
  endsCancelled: '0.3.0',
  followsLostConversion: '0.3.0',
  givesUpLook: '0.3.0',
  hearsOnceTakenOver: '0.3.0',
  hearsTryAfterHold: '0.3.0',
  hearsWhoAsks: '0.3.0',
  keepsActs: '0.3.0',
  keepsSaid: '0.3.0',
  knowsLostPaid: '0.3.0',
  knowsOneRow: '0.3.0',
  knowsOwnChildren: '0.3.0',
  knowsUngranted: '0.3.0',
  laterWordCounts: '0.3.0',
  looksOneByOne: '0.3.0',
  looksPastUnshown: '0.3.0',
  loosensWhenWritten: '0.3.0',
  mindsBudget: '0.3.0',
  mindsLostPermits: '0.3.0',
  mindsLostRuns: '0.3.0',
  mindsParks: '0.3.0',
  mindsPlaceOfBooks: '0.3.0',
  notesBalance: '0.3.0',
  ownTryKnowsLook: '0.3.0',
  passesUnaffordable: '0.3.0',
  peopleFirst: '0.3.0',
  refusesAfterTry: '0.3.0',
  refusesMissingCall: '0.3.0',
  rereadsBooks: '0.3.0',
  savesActions: '0.3.0',
  staysPaused: '0.3.0',
  takesBackPermits: '0.3.0',
  takesRaisedLimit: '0.3.0',
  takesTurns: '0.3.0',
  tellsActs: '0.3.0',
  tellsPassage: '0.3.0',
  tellsUnkept: '0.3.0',
  waitsWhenStale: '0.3.0',
  waitsWhileWritten: '0.3.0',
  watchesConversion: '0.3.0',
  writesPartsOnce: '0.3.0',
} as const satisfies Readonly<Record<string, string>>;

/** The newest version before this one: what it brought is known to all workers of a deployment under way. */
const RELEASED = '0.2.0';

const order = (version: string): number => version.split('.').reduce((sum, part) => 1_000 * sum + Number(part), 0);

/** @param held so that workers of the version before can go on @returns what a worker says of it at its start, if anything */
export function sayOfPatches(held: boolean): string | undefined {
  if (held) return 'runs take no change that workers of the version before cannot replay';
  return Object.keys(PATCHES).every(isReleased)
    ? undefined
    : `runs take what is new in this version: workers of ${RELEASED} cannot go on with those that have (AUDIT_RUNNER_HOLD_PATCHES=true holds it back)`;
}

/**
 * Whether workers of the version before can replay a run that takes it. What is not in the table is new.
 * @param id of a patch
 */
export const isReleased = (id: string): boolean =>
  Object.entries(PATCHES).some(([known, version]) => known === id && order(version) <= order(RELEASED));
