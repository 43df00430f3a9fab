/** The ledger's current details, written for a person in the Web UI (S7). */

import { PAID } from '../paying/once-only';
import { bullets, type Markdown, md, paragraphs, sentence } from '../text/md';
import { counted, grouped } from '../text/numbers';
import { vouchedBy } from '../text/vouched';
import { utc } from '../time/utc';
import * as policy from '.';
import { describeHold, describeKind } from './describe-holds';
import type { LedgerStatus } from './messages';

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
