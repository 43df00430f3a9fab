/** The types of failures that activities give and workflows know. Stable: histories hold them. */
export const FailureType = {
  /** The account is on hold; wait for the ledger to release it. */
  held: 'AccountHold',
  /** The service does not answer, or not sensibly; try again later. */
  upstream: 'UpstreamFailing',
  /** The service refused; trying again changes nothing. Details: {@link Refusal}. */
  refused: 'Refused',
  /** A reply that no guess of `undocumented.ts` reads; the message names the setting. */
  unreadable: 'UnreadableReply',
  /** Data of Temporal's that no worker can read: a key is missing, or they are damaged. */
  illegible: 'UnreadableData',
  /** A guess of `undocumented.ts` is wrong here, as what came back shows; the message names the setting. */
  wrongGuess: 'WrongGuess',
  /** Not yet; Temporal tries again by itself. */
  waiting: 'Waiting',
  /** The service asked for a pause that is worth a word (429). Details: its length, milliseconds. */
  parked: 'Parked',
  /** The ledger does not know yet what stands in its books; say it again. */
  opening: 'LedgerOpening',
  /** The ledger cannot answer, since its workflow tasks fail; the message says what to mend. */
  ledger: 'LedgerFailing',
  /** No worker knows the account. */
  unknownAccount: 'UnknownAccount',
  /** The storage is full, away or closed to the worker; the message says what to mend. Nothing of the API's. */
  storage: 'StorageUnusable',
  /** The workflow's input is wrong. Details: the problems, one sentence each. */
  badInput: 'BadInput',
} as const;

/** Why the service refused, without its own words (S4). */
export interface Refusal {
  /** 0: nothing was sent, the call itself is not what the route takes. */
  status: number;
  code?: string;
  requiredTier?: string;
}
