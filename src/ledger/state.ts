/** What an account's ledger knows. Plain data: it goes through Temporal at every continue-as-new. */

import type { RateClass } from '../agent-api/rate-class';
import type { PaidKind } from '../paying/once-only';
import type { Booking, OpenSends, PayTiming } from '../paying/open-sends';
import type { Vouched } from '../text/vouched';
import type { Permits } from './permits';
import type { Turns } from './turns';

/** Why an account's calls stand still. A `manual` hold is lifted by a person, a `books` hold by a person or when its cause has gone, all others when it has. */
export const HOLD_KINDS = ['killSwitch', 'token', 'otherUser', 'noCredits', 'books', 'manual'] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

export interface Hold {
  readonly kind: HoldKind;
  readonly since: number;
  readonly reason: string;
  /** For `noCredits`: the balance that lifts it. */
  readonly needs?: number;
  /** For `books`: credits that are missing in them. */
  readonly lacks?: number;
  /** For `books`: they are in this storage, and were in another before. */
  readonly place?: string;
  /** For `books`: by so many credits the balance is lower than they explain. */
  readonly lower?: Lower;
  /** For `noCredits`: a call met it that should cost nothing, so calls that cost nothing wait as well. */
  readonly stopsAll?: true;
  /** For `noCredits`, where the balance does not tell when it ends: a call is tried again after this. */
  readonly retry?: { readonly at: number; readonly why: 'unreadable' | 'refused' } | undefined;
}

/** A balance that is lower than the books explain. */
export interface Lower {
  readonly credits: number;
  /** Since this moment something is missing in them, or was spent elsewhere. */
  readonly since: number;
  /** What was read, and a moment before which nothing happened that it lacks. */
  readonly read: number;
  readonly readAt: number;
}

/** What an account may spend. Credits. */
export interface Budget {
  /** Most credits of one run; null for no limit. @default null */
  readonly perRun?: number | null;
  /** Most credits per calendar day; null for no limit. @default null */
  readonly perDay: number | null;
  /** Most credits per calendar month; null for no limit. @default null */
  readonly perMonth?: number | null;
  /** Credits that must remain on the balance. @default 0 */
  readonly balanceFloor: number;
  /** IANA time zone in which a day begins and ends. @default 'UTC' */
  readonly timeZone: string;
}

/** What one worker process is configured with. */
export interface Configured {
  /** Names one process, and no other one ever. */
  readonly worker: string;
  readonly budget: Budget;
  readonly timing: PayTiming;
  /** The storage in which it keeps the books; absent until it has read that. */
  readonly books?: string;
  /** It counts until then, unless it is said again. */
  readonly until: number;
}

/** What a person set, and who it was. */
export interface PersonNote<T> {
  readonly value: T;
  readonly by: string;
  readonly at: number;
}

/** What people may change without the configuration. */
export type SettableBudget = Pick<Budget, 'perDay' | 'balanceFloor' | 'timeZone'>;

/** What people set; a value as loose as the configured one is none of its own. */
export type SetByPeople = { readonly [K in keyof SettableBudget]?: PersonNote<NonNullable<SettableBudget[K]>> };

/** What one reading says by now: what was booked after it is off both ends. Credits. */
export interface Reading {
  /** When its answer was there. */
  readonly at: number;
  /** If nothing that was booked shortly before it is in it. */
  readonly least: number;
  /** If everything is. */
  readonly most: number;
}

export interface Funds {
  /** Those of which none is surely newer than another, the latest last. */
  readonly readings: readonly Reading[];
  /** When the latest of them was asked for. */
  readonly askedAt?: number;
  /** What it said; absent from one of an earlier version. */
  readonly amount?: number;
  /** By the books: the last reading that was compared with them, less what was booked since. */
  readonly expected?: number | undefined;
  /** When that reading came. */
  readonly comparedAt?: number | undefined;
  /** A reading that shows the balance of a later moment than this tells more; absent when none would. */
  readonly doubtAt?: number | undefined;
}

export interface Price {
  /** What the last reply said, and when. */
  readonly real: number;
  readonly at: number;
  /** What the last call was expected to cost by the configuration of its worker. */
  readonly configured: number;
}

/** The day whose credits are counted against the cap. */
export interface Today {
  /** When the next day begins. */
  readonly until: number;
  /** Credits booked since it began. */
  readonly spent: number;
}

export interface RunSum {
  readonly spent: number;
  readonly lastAt: number;
}

/** What somebody changed. */
export interface Action extends Vouched {
  readonly at: number;
  readonly by: string;
  readonly what: string;
  readonly reason: string;
  /** Of the update that said it; absent from one of an earlier version, and from what the ledger did. */
  readonly id?: string;
  /** The ledger itself did it. */
  readonly isOwn?: boolean;
}

export interface LedgerState {
  /** Its name in the configuration that a worker told last. */
  readonly account: string;
  /** The longest times of those workers. */
  readonly timing: PayTiming;
  /** What workers are configured with, at least one, those that lapse first first; see `budget.ts`. */
  readonly workers: readonly Configured[];
  /** What people set beside that. */
  readonly set: SetByPeople;
  /** The zone in which a day begins and ends now. */
  readonly timeZone: string;
  /** Since when: of the days before the ledger knows only by the zone of then. */
  readonly zonedAt?: number;
  /** The present day, as far as anything was booked on it. */
  readonly today?: Today;
  /** What calls cost by their replies. */
  readonly prices: Readonly<Partial<Record<PaidKind, Price>>>;
  readonly flights: OpenSends;
  /** Credits spent per calendar day, the last forty or so. */
  readonly days: Readonly<Record<string, number>>;
  /** What of that people corrected. */
  readonly adjusted?: Readonly<Record<string, number>>;
  /** Credits spent per run, the most recent ones: of the others the cap is forgotten. */
  readonly runs: Readonly<Record<string, RunSum>>;
  /** Bookings, newest last, for `spend`; older ones are in the sums. */
  readonly bookings: readonly Booking[];
  readonly holds: readonly Hold[];
  /** Holds whose beginning people were told, prices that they were told, and how many notices there were. */
  readonly told?: { readonly kinds: readonly HoldKind[]; readonly prices?: readonly string[]; readonly count: number };
  /** What is left by the readings of the balance; absent until one was read. */
  readonly funds?: Funds;
  /** The service answers without a balance that can be read: since when, and what is wrong with the reply. */
  readonly unreadable?: { readonly since: number; readonly problem: string } | undefined;
  /** The balance at which a hold for lack of credits was last lifted. */
  readonly creditsTried?: { readonly amount: number; readonly at: number };
  /** Sum of what the balance lost or gained beyond our own bookings: spent in the web app, or topped up. */
  readonly elsewhere: number;
  /** Classes parked by a 429, until when. */
  readonly parked: Readonly<Record<string, number>>;
  /** When a person last ended all parks: those that processes keep of their own end with it. */
  readonly parksEndedAt?: number;
  /** Permits of classes with a limit of their own (notes, audits): taken, and promised. */
  readonly permits: Readonly<Record<string, Permits>>;
  /** S5: when requests of a class left, over all processes; absent until somebody asked for a turn. */
  readonly turns?: Readonly<Partial<Record<RateClass, Turns>>>;
  /** S5: until when requests may have left of which only a lost ledger knew. */
  readonly unknownTurnsUntil?: number;
  /** What people changed, newest last. */
  readonly actions?: readonly Action[];
  /** What they said of hold and limits, and when each word was that stands in the books (S8). */
  readonly said?: Said;
  readonly keptSaid?: Moments;
  /** When a worker last said so: of several ledgers of one account name the latest is that of its present user. */
  readonly configuredAt?: number;
  /** Open sends that the ledger could not look up, and when it tries again. */
  readonly postponed?: Readonly<Record<string, number>>;
  /** How often the service did not tell what became of an open send, by attempt. */
  readonly inVain?: Readonly<Record<string, number>>;
  /** Since when the account's token is another user's: until this user's is used again there is nothing to ask for. */
  readonly restingSince?: number | undefined;
  /** Set when this ledger replaced one that was lost: nothing is granted before. */
  readonly patientUntil?: number;
  /**
   * S8: the books in the storage, which may know of payments that it does not, could not be read: why, and when that was
   * tried last. `isLost`: there was surely a ledger before it.
   */
  readonly unread?: {
    readonly why: string;
    readonly triedAt: number;
    readonly isLost: boolean;
    /** Of the ledger before it nothing is known but what they say. */
    readonly isBlank?: boolean;
  };
  /** S8: it began with the books alone, and the balance is still to be compared with them. */
  readonly uncompared?: Uncompared;
  /** S8: the storage in which the books are, by the ID that lies in it; absent until a worker has told it. */
  readonly place?: string;
  /** S8: credits that are missing in them, as people know. */
  readonly acceptedLack?: number;
  /** S8: until when workers counted that keep no books; absent once it is known what they paid. */
  readonly unkeptUntil?: number;
}

/** A comparison of the balance with the books that is still to be made. */
export interface Uncompared {
  /** When the balance was noted. */
  readonly since: number;
  /** Until then nothing is paid before it. */
  readonly until: number;
}

/** What one worker says that it is configured with; a ledger starts with the first one's word. */
export interface LedgerStart {
  account: string;
  timing: PayTiming;
  budget: Budget;
  /** Names the worker's process, and no other one ever. */
  worker?: string;
  /** The storage in which it keeps the books, by the ID that lies in it. */
  books?: string;
  /**
   * Credits booked by the books in the storage on the days from this one on, and when each limit was said last, where it has
   * read them just now.
   */
  booked?: {
    readonly from: string;
    readonly credits: number;
    /** In which these days begin. @default that of the budget, by a worker of an earlier version */
    readonly timeZone?: string;
    /** The same from each of the first days on. */
    readonly since?: Readonly<Record<string, number>>;
    /** What is reserved in them for calls of which they do not know the end. */
    readonly reserved?: number;
    readonly said?: Moments;
  };
  /** How long this counts, milliseconds. @default 600000 */
  lapsesAfterMs?: number;
}

/** What people have said of hold and limits, of each the last word, and what the ledger notes beside it (S8). */
export interface Said {
  /** Why they put the account on hold; null: they released it. */
  readonly hold?: PersonNote<string | null>;
  /** null, here and below: as configured. */
  readonly perDay?: PersonNote<number | null>;
  readonly balanceFloor?: PersonNote<number | null>;
  readonly timeZone?: PersonNote<string | null>;
  /**
   * The balance by the last reading that was compared without doubt. It shows a moment not before the note's, and after all
   * that was booked by then.
   */
  readonly balance?: PersonNote<number>;
}

/** When each was said last, milliseconds since 1970. */
export type Moments = { readonly [F in keyof Said]?: number };

/** What the books in the storage say, for a ledger that takes the place of one of which nothing is left (S8). */
export interface Kept {
  readonly flights: OpenSends;
  readonly days: Readonly<Record<string, number>>;
  /** In which these days begin and end; absent from a worker of an earlier version. */
  readonly timeZone?: string;
  readonly runs: Readonly<Record<string, number>>;
  readonly bookings: readonly Booking[];
  /** Absent from a worker of an earlier version. */
  readonly said?: Said;
  /** Credits booked since the balance in it was noted; absent where none was. */
  readonly bookedSinceNote?: number | undefined;
}

/** What is known of the ledger before this one. */
export interface Before {
  /** What was paid, where that ledger is lost. */
  readonly books?: Kept;
  /** Why the books in the storage cannot be read, where they are needed. */
  readonly unread?: string;
  /** Its state; absent where there was none, or nothing is left of it. */
  readonly state?: LedgerState | undefined;
  /** It may have granted what stands nowhere. */
  readonly lost: boolean;
}
