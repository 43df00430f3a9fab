/**
 * S8: what people have said of hold and limits, and what the service said of the balance, each with its moment. It stands in the
 * ledger and in the books in the storage; of each the later word counts, so that neither a lost ledger nor one that went back to a
 * backup forgets a hold.
 */
import { isTimeZone } from '../time/day';
import { inZone } from './budget';
import { hold, release } from './holds';
import type { Action, LedgerState, Moments, PersonNote, Said, SetByPeople } from './state';

/** What people may set besides a hold. */
export const LIMITS = ['perDay', 'balanceFloor', 'timeZone'] as const satisfies readonly (keyof SetByPeople)[];
/** What people say; the balance the ledger notes by itself. */
export const WORDS = ['hold', ...LIMITS] as const satisfies readonly (keyof Said)[];
export const NOTES = [...WORDS, 'balance'] as const satisfies readonly (keyof Said)[];
export type Noted = readonly (typeof NOTES)[number][];

/** Also of a ledger of an earlier version, which has kept no moment of its own. */
export function saidOf({ said, holds, set }: LedgerState): Said {
  if (said) return said;
  const held = holds.find(({ kind }) => kind === 'manual');
  return { ...set, ...(held && { hold: { value: held.reason, by: 'somebody', at: held.since } }) };
}

export const momentsOf = (said: Said): Moments =>
  Object.fromEntries(NOTES.flatMap((field) => (said[field] ? [[field, said[field].at]] : [])));

/** Whether any of it was said later than what the others have. */
export const hasLater = (moments: Moments, others: Moments, of: Noted): boolean =>
  of.some((field) => (moments[field] ?? 0) > (others[field] ?? 0));

/** Of each the later word; of two at once the first. */
export function laterOf(one: Said, other: Said): Said {
  const later = NOTES.filter((field) => (other[field]?.at ?? 0) > (one[field]?.at ?? 0));
  return { ...one, ...Object.fromEntries(later.map((field) => [field, other[field]])) };
}

/** Something is said now; the server's clock may be behind the one by which the word before was said. */
export function say(state: LedgerState, now: Said): LedgerState {
  const known = saidOf(state);
  const words = NOTES.flatMap((field) => {
    const word = now[field];
    return word ? [[field, { ...word, at: Math.max(word.at, (known[field]?.at ?? -1) + 1) }]] : [];
  });
  return { ...state, said: { ...known, ...Object.fromEntries(words) } };
}

/** What people have set by now, as words: what is as configured is none of their own. */
export const wordsOn = ({ set }: LedgerState, fields: readonly (keyof SetByPeople)[], by: string, at: number): Said =>
  Object.fromEntries(fields.map((field) => [field, { value: set[field]?.value ?? null, by, at }]));

/** Whether the books in the storage lack something that was said. */
export const isUnkept = (state: LedgerState, of: Noted = NOTES): boolean =>
  hasLater(momentsOf(saidOf(state)), state.keptSaid ?? {}, of);

/** The ledger takes over what the books have later. */
export function takeOver(state: LedgerState, books: Said | undefined, now: number): LedgerState {
  if (books === undefined) return state;
  const own = saidOf(state);
  const isNews = (field: keyof Said) => (books[field]?.at ?? 0) > (own[field]?.at ?? 0);
  const known = { ...state, said: laterOf(own, books), keptSaid: momentsOf(books) };
  let next: LedgerState = known;
  if (books.hold && isNews('hold')) {
    const { value: reason, at: since } = books.hold;
    next = reason === null ? release(next, 'manual') : hold(release(next, 'manual'), { kind: 'manual', since, reason });
  }
  for (const field of LIMITS) {
    const word = books[field];
    if (word && isNews(field) && isKnownHere(field, word)) next = { ...next, set: withWord(next.set, field, word) };
  }
  const zone = next.set.timeZone?.value;
  if (zone !== undefined && zone !== next.timeZone) next = inZone(next, zone, now);
  if (next === known) return known;
  const what = 'hold and limits taken over from the books, as they were set last';
  const action = { at: now, by: 'the ledger', isOwn: true, what, reason: 'it knew less' } as const;
  return withAction(next, action);
}

/** A time zone may have been said on a machine that knows more of them. */
const isKnownHere = (field: keyof SetByPeople, { value }: PersonNote<string | number | null>): boolean =>
  field !== 'timeZone' || value === null || isTimeZone(String(value));

/** As it was said, whatever is configured by now: of both the strictest counts. */
function withWord(set: SetByPeople, field: keyof SetByPeople, word: PersonNote<string | number | null>): SetByPeople {
  const { [field]: _, ...rest } = set;
  return word.value === null ? rest : { ...rest, [field]: word };
}

/** Acts of people that a ledger knows; the books have all. */
const KEEP_ACTIONS = 50;

/** With one act more, and without the oldest where there are too many. */
export const withAction = (state: LedgerState, action: Action): LedgerState => ({
  ...state,
  actions: [...(state.actions ?? []), action].slice(-KEEP_ACTIONS),
});

/** Whether an act is among those that the ledger knows. @param id of the update that said it */
export const knowsAct = ({ actions = [] }: LedgerState, id: string | undefined): boolean =>
  id !== undefined && actions.some((action) => action.id === id);
