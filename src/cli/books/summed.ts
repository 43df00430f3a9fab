/** Credits that books have booked in a time, summed up. */
import type { Entry } from '../../books/entry';
import { type Word, Words } from '../../books/words';
import type { Booking } from '../../paying/open-sends';
import { scheduleId } from '../../temporal/schedules';
import { dayOf } from '../../time/day';
import { utc } from '../../time/utc';
import { number, table } from '../output';
import { ALL_TIME, isIn, type Period } from '../since';
import type { SummedBy } from '../summed-by';
import { nameOf, read, summary, type UsersBooks } from './read';
import { type Order, type Ranked, Sums } from './sums';

/** What of a user's books is asked for. */
export interface Asked {
  readonly by: SummedBy;
  readonly period: Period;
  /** At most so many sums: of days and months the last, of all else the largest. */
  readonly limit: number;
}

/** Sums that are told unless somebody asks for more: all days and months. */
export const DEFAULT_LIMIT: Readonly<Record<SummedBy, number>> = {
  ...{ day: Number.POSITIVE_INFINITY, month: Number.POSITIVE_INFINITY },
  ...{ run: 50, subject: 50, person: 50 },
};
const ORDER: Readonly<Record<SummedBy, Order>> = {
  ...{ day: 'last', month: 'last' },
  ...{ run: 'largest', subject: 'largest', person: 'largest' },
};

/** What they come to. Moments are milliseconds since 1970. */
export interface Summed extends ReturnType<typeof summary> {
  user: string;
  /** Of the time that was asked for; then `credits` are those of that time. */
  since?: number;
  until?: number;
  by: Readonly<Record<string, number>>;
  /** Those that are not in it. */
  others?: NonNullable<Ranked['others']>;
}

export const isAllTime = ({ since, until }: Period): boolean => since === ALL_TIME.since && until === ALL_TIME.until;

/** What of it is no default. */
export const toldOf = ({ since, until }: Period): Pick<Summed, 'since' | 'until'> => ({
  ...(since !== ALL_TIME.since && { since }),
  ...(until !== ALL_TIME.until && { until }),
});

/** Whether any of a day is in it. */
export const isInDays = ({ since, until }: Period, day: string, timeZone: string): boolean =>
  day >= dayOf(since, timeZone) && (until === ALL_TIME.until || day <= dayOf(until - 1, timeZone));

export async function summedUp(books: UsersBooks, { by, period, limit }: Asked): Promise<Summed> {
  const { user, standing } = books;
  const { timeZone } = standing;
  const [sums, words] = [new Sums(), new Words()];
  let credits = 0;
  const add = async (key: string, booked: number) => {
    credits += booked;
    await sums.add(key, booked);
  };
  const addBooking = async (booked: Booking, word?: Word) => {
    if (!isIn(period, booked.at)) return;
    const day = dayOf(booked.at, timeZone);
    const { run, subject } = booked;
    const keys = { day, month: day.slice(0, 7), run, subject, person: word ? describeWord(word) : '' };
    await add(keys[by], booked.credits);
  };
  try {
    for await (const { entry, booked } of read(books)) {
      if (entry.kind === 'begun')
        for (const [key, before] of spentBefore(entry, by, period, timeZone)) await add(key, before);
      if (by === 'person') for (const known of words.hear(entry, booked)) await addBooking(known.booked, known.word);
      else if (booked) await addBooking(booked);
    }
    for (const { booked, word } of words.end()) await addBooking(booked, word);
    const { sums: told, others } = await sums.ranked(ORDER[by], limit);
    return {
      ...{ user, ...summary(standing) },
      ...(!isAllTime(period) && { credits, ...toldOf(period) }),
      ...{ by: Object.fromEntries(told), ...(others && { others }) },
    };
  } finally {
    await sums.close();
  }
}

/** Of what was spent before there were books only the days are known, and the runs by which nobody tells when. */
function spentBefore(
  { days, runs }: Extract<Entry, { kind: 'begun' }>,
  by: SummedBy,
  period: Period,
  timeZone: string,
): [string, number][] {
  if (by === 'subject') return [];
  if (by === 'run') return isAllTime(period) ? Object.entries(runs) : [];
  return Object.entries(days)
    .filter(([day]) => isInDays(period, day, timeZone))
    .map(([day, credits]) => [{ day, month: day.slice(0, 7), person: BEFORE }[by], credits]);
}

const WHOSE: Readonly<Record<Word['by'], string>> = {
  principal: "the server's principal",
  client: "the client's identity",
  message: "the message's own word",
  schedule: 'a schedule',
  nobody: 'not known',
};
const BEFORE = `${WHOSE.nobody}: before there were books`;

/** What tells the name comes first: nobody can choose that. */
function describeWord({ by, name, isBudget }: Word): string {
  const ofFile = by === 'schedule' && name.startsWith(scheduleId('')) ? `${WHOSE.schedule} of the file` : WHOSE[by];
  const how = isBudget ? `a budget in the input, ${ofFile}` : ofFile;
  return name === '' ? how : `${how}: ${name}`;
}

/** For a person. */
export function describeSummed(summed: Summed, by: SummedBy): string {
  const { user, account, credits, open } = summed;
  return `${nameOf(user, account)}: ${number(credits)} credits booked${describePeriod(summed)}, ${number(open)} reserved\n${tableOf(summed, by)}`;
}

/** The sums, and what is left out. */
export function tableOf({ by: sums, others }: Pick<Summed, 'by' | 'others'>, by: SummedBy): string {
  const rows = Object.entries(sums);
  const shown = table(
    [by, 'credits'],
    rows.map(([key, sum]) => [key, number(sum)]),
  );
  if (!others) return shown;
  const which = ORDER[by] === 'last' ? 'last' : 'largest';
  return `${shown}\nThe ${number(rows.length)} ${which} of ${number(rows.length + others.count)}; the others come to ${number(others.credits)} credits. --limit shows more, --since and --until another time.`;
}

const describePeriod = ({ since = 0, until }: Pick<Summed, 'since' | 'until'>): string =>
  (since > 0 ? ` since ${utc(since)} UTC` : '') + (until === undefined ? '' : ` until ${utc(until)} UTC`);
