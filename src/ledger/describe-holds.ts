/** What a ledger's holds are, why they began and what ends them, in sentences for people (S7). */
import { PAID } from '../paying/once-only';
import { REASON_WORDS } from '../runs/reason-words';
import { PROGRAM } from '../text/command';
import { counted, grouped } from '../text/numbers';
import { utc } from '../time/utc';
import * as policy from '.';

const HOLD_TEXT: Record<policy.HoldKind, string> = {
  killSwitch:
    'the service has switched its agent API off; it is asked again every minute and everything goes on by itself',
  token: 'the service does not accept the token; put a valid one in its place and everything goes on by itself',
  otherUser:
    'the token belongs to another user than before, so nothing is sent with it; replace it with a token of the previous user and everything goes on by itself; if the account is to work for the new user, first end its runs with a token of the previous user in place, or terminate them, and restart the workers',
  noCredits:
    'there are too few credits; calls that cost none go on, and the rest go on by themselves when the balance suffices',
  books:
    'the books in the storage have less than was paid, so nothing is paid; if the storage went back to a backup, your administrator puts the newer books back and everything goes on by itself; else compare what was paid with the service, and end it with the update `release`',
  manual: 'a person put it on hold; it ends with the update `release`',
};

const MOVED =
  'the books are in another storage than before, so nothing is paid; if the folder is not mounted or the wrong bucket is configured, your administrator corrects that and everything goes on by itself; if they were moved on purpose, without storage.json, end it with the update `release`';

/** What differs, with the figures; both may be so, and nobody but a person can tell. */
const describeLower = ({ credits, since }: policy.Lower): string =>
  `the balance is ${grouped(credits)} credits lower than the books in the storage explain, so nothing is paid: either they were spent in the web app since ${utc(since)} UTC, or payments are missing in the books; compare \`${PROGRAM} spend\` with the service, and end it with the update \`release\``;

const RETRY_TEXT = {
  unreadable:
    "there are too few credits, and the balance cannot be read (name its field with the setting 'undocumented.account.balance')",
  refused: 'a call was refused for lack of credits, though the balance looks sufficient',
};

/** What a hold is, since when, what ends it: without the reason, which may be anybody's words. */
export const describeKind = ({ kind, since, retry, stopsAll, place, lower }: policy.Hold): string =>
  `on hold since ${utc(since)} UTC: ${
    retry
      ? `${RETRY_TEXT[retry.why]}; it is tried again at ${utc(retry.at)} UTC`
      : stopsAll
        ? 'there are too few credits, also for a call that should cost none; everything goes on by itself when the balance suffices'
        : lower
          ? describeLower(lower)
          : place === undefined
            ? HOLD_TEXT[kind]
            : MOVED
  }`;

/** One sentence on a hold: what, since when, what ends it. */
export const describeHold = (hold: policy.Hold): string =>
  `${describeKind(hold)} (${hold.kind === 'manual' ? 'reason: ' : ''}${hold.reason})`;

/** Why, in few words. */
function causeOf({ kind, retry, place, lower }: policy.Hold): string | undefined {
  if (retry) return RETRY_TEXT[retry.why];
  if (lower) return 'the balance is lower than the books in the storage explain';
  if (place !== undefined) return 'the books are in another storage than before';
  return kind === 'books' ? 'the books in the storage lack what was paid' : REASON_WORDS[kind];
}

/** Since when, why, and in whose words. */
export const describeCause = (hold: policy.Hold): string =>
  `since ${utc(hold.since)} UTC: ${causeOf(hold)} (${hold.reason})`;

/** A price that a reply named no longer counts. */
const describeForgotten = ({ kind, real, configured }: policy.Dearer): string =>
  `${PAID[kind].what} is expected to cost the configured ${counted(configured, 'credit')} again, not ${grouped(real)}.`;

/** For whoever lifts the holds: each of them, for it may be somebody else's; and what else that ends. */
export function describeReleased(state: policy.LedgerState, parks: boolean): string {
  const { holds } = state;
  return [
    holds.length === 0
      ? 'The account was not on hold.'
      : `The account is released. It was on hold ${holds.map(describeCause).join('; and ')}. A cause that is still there puts it on hold again.`,
    ...policy.dearer(state).map(describeForgotten),
    // S5: a worker may know of a pause of which the ledger does not.
    ...(parks ? ['If the service has asked to wait (429), new calls no longer do.'] : []),
  ].join(' ');
}
