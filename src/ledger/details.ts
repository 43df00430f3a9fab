/** The ledger's current details, written for a person in the Web UI (S7). */

import { PAID } from '../paying/once-only';
import { REASON_WORDS } from '../runs/reason-words';
import { PROGRAM } from '../text/command';
import { bullets, type Markdown, md, paragraphs, sentence } from '../text/md';
import { counted, grouped } from '../text/numbers';
import { vouchedBy } from '../text/vouched';
import { utc } from '../time/utc';
import * as policy from '.';
import type { LedgerStatus } from './messages';

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
const describeKind = ({ kind, since, retry, stopsAll, place, lower }: policy.Hold): string =>
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

/** Since when, why, and in whose words. */
export const describeCause = ({ kind, since, reason }: policy.Hold): string =>
  `since ${utc(since)} UTC: ${REASON_WORDS[kind]} (${reason})`;

/** For whoever lifts the holds: each of them, for it may be somebody else's. */
export const describeReleased = (holds: readonly policy.Hold[]): string =>
  holds.length === 0
    ? 'The account was not on hold.'
    : `The account is released. It was on hold ${holds.map(describeCause).join('; and ')}. A cause that is still there puts it on hold again.`;

/** A wait that the service asks for is worth a word in an estimate from so many milliseconds on. */
const LONG_PAUSE_MS = 60_000;

/** Why nothing that costs goes on for a while, without a full stop and in our own words; undefined when it does. */
export function describeStandstill({ holds, parked }: LedgerStatus, now: number): string | undefined {
  const [hold] = policy.stopping(holds, 1);
  return hold ? describeKind(hold) : describePause(parked, now + LONG_PAUSE_MS);
}

/** What an account's ledger lets through, in a few words. */
export function describeState({ holds, restingSince }: Pick<policy.LedgerState, 'holds' | 'restingSince'>): string {
  if (policy.stopping(holds, 0).length > 0 || holds.some(({ kind }) => kind === 'books')) return 'on hold';
  if (holds.length > 0) return 'no credits';
  return restingSince === undefined ? 'open' : 'an earlier user';
}

/** Without a full stop. */
export const describePatience = (until: number, isComparing = false): string =>
  isComparing
    ? `This ledger replaced one that was lost: it pays nothing before the balance was read and compared with the books, or ${utc(until)} UTC`
    : `This ledger replaced one that was lost: it grants nothing before ${utc(until)} UTC, when whatever was under way is over`;

const sourceOf = (source: policy.LimitSource | undefined): string => {
  if (source === undefined) return '';
  return source.kind === 'configured'
    ? ` (configured: budget, of worker ${source.worker})`
    : ` (set by ${source.by} at ${utc(source.at)} UTC)`;
};

const most = (credits: number | null): string => (credits === null ? 'no limit' : grouped(credits));

/** Of an account whose configuration names no ceiling; and what to set. Without full stops. */
export const NO_CEILING = [
  'No ceiling is configured: whoever starts or approves runs can spend the whole balance',
  'set `budget.perDay`, `budget.perMonth`, `budget.perRun` or `budget.balanceFloor` of the account',
] as const;

const hasCap = ({ perDay, balanceFloor }: policy.BudgetInForce): boolean => perDay !== null || balanceFloor > 0;

/** Limits of an account whose configuration names none. Without a full stop. */
const ONLY_SET =
  'The limits below are those that people have set, and that people can lift: the configuration of the account names no ceiling';

/** The limits that hold, and whose word they are. */
export function describeBudget(budget: policy.BudgetInForce): string[] {
  const { from, workers, live } = budget;
  const counted = workers === 1 ? '1 worker' : `${workers} workers`;
  return [
    ...(policy.hasCeiling(budget) ? [] : [hasCap(budget) ? ONLY_SET : NO_CEILING.join('; ')]),
    ...describeCeilings(budget, from),
    live
      ? `In force is the strictest of what ${counted} ${workers === 1 ? 'is' : 'are'} configured with and what people have set`
      : `No worker has reported its configuration lately: the last known limits hold (${counted})`,
  ];
}

/** All limits, also those that there are not. */
export function describeCeilings(
  budget: Omit<policy.Budget, 'timeZone'>,
  from: policy.BudgetInForce['from'] = {},
): string[] {
  // A ledger of an earlier version says nothing of a run and a month.
  const { perRun = null, perDay, perMonth = null, balanceFloor } = budget;
  return [
    `Most credits a day: ${most(perDay)}${sourceOf(from.perDay)}`,
    `Most credits a month: ${most(perMonth)}${sourceOf(from.perMonth)}`,
    `Most credits of one run: ${most(perRun)}${sourceOf(from.perRun)}`,
    `Must remain of the balance: ${balanceFloor === 0 ? 'nothing' : grouped(balanceFloor)}${sourceOf(from.balanceFloor)}`,
  ];
}

/** What a person has set, for the list of what people did. */
export function describeWanted({ perDay, balanceFloor, timeZone }: policy.BudgetWanted): string {
  const parts = [
    ...(perDay === undefined ? [] : [`at most ${perDay === null ? 'what is configured' : grouped(perDay)} a day`]),
    ...(balanceFloor === undefined ? [] : [`${grouped(balanceFloor)} must remain of the balance`]),
    ...(timeZone === undefined ? [] : [`days end in the time zone ${timeZone}`]),
  ];
  return `budget set: ${parts.join(', ')}`;
}

/** What may still be spent of an account, for whoever is to approve something: of each cap, and of the balance. */
export function describeLeft({ balance, reserved, spentToday, spentThisMonth, budget }: LedgerStatus): string[] {
  const { perRun = null, perDay, perMonth = null, balanceFloor, timeZone } = budget;
  const left = (when: string, spent: number, cap: number | null, name: string) => {
    const taken = `${counted(spent, 'credit')} spent${reserved > 0 ? `, ${grouped(reserved)} reserved for calls under way` : ''}`;
    return cap === null
      ? `${when}: ${taken}; there is no ${name}`
      : `${when}: ${grouped(Math.max(0, cap - spent - reserved))} of ${grouped(cap)} credits are left; ${taken}`;
  };
  return [
    left(`Today (${timeZone})`, spentToday, perDay, 'daily limit'),
    left('This month', spentThisMonth, perMonth, 'monthly limit'),
    perRun === null
      ? 'One run: there is no ceiling but what its own input says'
      : `One run: ${counted(perRun, 'credit')} at most, whatever its input says (the ceiling \`budget.perRun\`)`,
    balance === undefined
      ? 'Balance: not known'
      : `Balance: ${counted(balance, 'credit')}${balanceFloor > 0 ? `, of which ${grouped(balanceFloor)} must remain` : ''}`,
  ];
}

/** A call costs more than is configured: what is reserved for it, and what mends it. */
export const describeDearer = ({ kind, real, configured, at: since }: policy.Dearer): string =>
  `${PAID[kind].what} cost ${grouped(real)} credits according to the reply of ${utc(since)} UTC, but ${grouped(configured)} according to the configuration: ${grouped(real)} are reserved for each from now on. If that is the price, set credits.'${PAID[kind].route}' to it; if it was a mistake, the update \`release\` forgets it`;

/** Which classes of calls wait since the service asked for it, and until when; undefined when none does. */
export function describePause(parked: policy.LedgerState['parked'], now: number): string | undefined {
  const classes = Object.entries(parked).filter(([, until]) => until > now);
  if (classes.length === 0) return undefined;
  return `The service asked to wait (429): ${classes.map(([rateClass, until]) => `${rateClass} go on at ${utc(until)} UTC`).join(', ')}`;
}

/** Open sends and acts that are listed one by one. */
const MOST_OPEN = 20;
const MOST_ACTS = 5;

export function describeLedger(state: policy.LedgerState, now: number): Markdown {
  const open = Object.entries(state.flights.open);
  const budget = policy.budgetInForce(state, now);
  const left = policy.balance(state);
  const unread = state.unreadable === undefined ? 'not read yet' : `cannot be read: ${state.unreadable.problem}`;
  const balance = left === undefined ? unread : `${grouped(left)} credits`;
  const apart = policy.booksTrouble(state, now);
  const { patientUntil, isComparing } = policy.patientUntil(state, now);
  const pause = describePause(state.parked, now);
  const figures = [
    `Balance: ${balance}, of which reserved for calls under way: ${grouped(policy.reservedCredits(state))}`,
    `Spent today (${budget.timeZone}): ${grouped(policy.spentOn(state, now))}`,
    ...describeBudget(budget),
    ...policy.dearer(state).map(describeDearer),
    ...(left === undefined ? [] : [`Spent elsewhere, as the balance shows: ${grouped(state.elsewhere)}`]),
    ...(patientUntil === undefined ? [] : [describePatience(patientUntil, isComparing)]),
    ...(pause === undefined ? [] : [pause]),
  ];
  const isPaying = state.holds.length > 0 || (apart === undefined && patientUntil === undefined);
  return paragraphs([
    md`**Account ${state.account}**: ${isPaying ? describeState(state) : 'nothing is paid'}`,
    // A list behind a list would be one with it, and all its items would stand apart.
    bullets(
      md`What stops it:`,
      [...state.holds.map(describeHold), ...(apart === undefined ? [] : [apart])].map(sentence),
    ),
    bullets(md`Its figures:`, figures.map(sentence)),
    open.length === 0 ? md`No paid call is under way.` : undefined,
    bullets(
      md`Paid calls under way or not yet proven, ${grouped(open.length)}:`,
      open
        .slice(0, MOST_OPEN)
        .map(
          ([subject, f]) =>
            md`${subject} since ${utc(f.grantedAt)} UTC, over by ${utc(f.overAt)} UTC; what became of it is looked up then`,
        ),
    ),
    bullets(
      md`What people did last:`,
      (state.actions ?? [])
        .slice(-MOST_ACTS)
        .map(
          (a) => md`${utc(a.at)} UTC ${a.by}${a.isOwn ? undefined : md` ${vouchedBy(a, md)}`}: ${a.what} (${a.reason})`,
        ),
    ),
  ]);
}
