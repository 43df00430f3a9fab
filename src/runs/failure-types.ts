/**
 * The types of failures that activities give and workflows know. Stable: histories hold them. Their comments stand in
 * docs/reference/messages.md.
 */
export const FailureType = {
  /** The account is on hold; it goes on when that ends. */
  held: 'AccountHold',
  /** The service does not answer, or not sensibly; try again later. */
  upstream: 'UpstreamFailing',
  /** The service refused; trying again changes nothing. The details have the status, and its code if it gave one. */
  refused: 'Refused',
  /** A reply of a shape that is not known; the message names the setting of `undocumented` that corrects it. */
  unreadable: 'UnreadableReply',
  /** Data in Temporal that no worker can read: a key is missing, or they are damaged. */
  illegible: 'UnreadableData',
  /** A setting of `undocumented` is wrong for this service, as what came back shows; the message names it. */
  wrongGuess: 'WrongGuess',
  /** Not yet; Temporal tries again by itself. */
  waiting: 'Waiting',
  /** The service asked for a pause that is worth a word (429). Details: its length, milliseconds. */
  parked: 'Parked',
  /** The ledger does not know yet what stands in its books; say it again. */
  opening: 'LedgerOpening',
  /** The ledger cannot answer, since its workflow tasks fail; the message says what to mend. */
  ledger: 'LedgerFailing',
  /** No worker has an account of this name in its configuration. */
  unknownAccount: 'UnknownAccount',
  /** The storage is full, away or closed to the worker; the message says what to mend. It has nothing to do with the API. */
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
