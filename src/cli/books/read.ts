/** What `audit-runner books …` does: it reads the storage alone, and needs neither a server nor a token. */
import type { Act, Entry } from '../../books/entry';
import { accountOfBooks, linesOf, usersWithBooks, verify } from '../../books/reading';
import { Standing } from '../../books/standing';
import { loadConfig } from '../../config';
import { reservedCredits } from '../../ledger';
import { cell } from '../../report/spending/csv';
import { openStorage, type Storage, StorageError } from '../../storage';
import { counted } from '../../text/numbers';
import { oneLine } from '../../text/printable';
import { dayOf, isTimeZone } from '../../time/day';
import { utc } from '../../time/utc';
import { EXIT, Exit } from '../exit';
import { number, print, printJson, printStored, table, tell } from '../output';
import { startOf } from '../since';
import type { SummedBy } from '../summed-by';

export interface BooksOptions {
  user?: string;
  /** Only the books of this account. */
  account?: string;
  /** @default that of the account's configuration */
  timeZone?: string;
  json?: boolean;
  config?: string;
}

/** Reads all of them and says whether they are whole. */
export async function verifyBooksCommand(options: BooksOptions): Promise<number> {
  const found = [];
  for (const [user, storage, standing] of await booksOf(options)) {
    try {
      await verify(storage, user, standing);
      found.push({ user, ...summary(standing), problem: undefined });
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'damaged') throw error;
      found.push({ user, ...summary(standing), problem: error.message });
    }
  }
  if (options.json) printJson(found);
  else
    for (const { user, account, entries, credits, open, lost, problem } of found) {
      const whole = `${counted(entries, 'entry', 'entries')}, ${number(credits)} credits booked, ${number(open)} reserved for what may be under way`;
      const without = lost === 0 ? '' : `, but without ${number(lost)} that were given up`;
      if (problem === undefined) print(`${nameOf(user, account)}: whole${without}; ${whole}`);
      else tell(`${nameOf(user, account)}: damaged after ${whole}. ${problem}`);
    }
  return found.some(({ problem }) => problem !== undefined) ? EXIT.failed : EXIT.done;
}

export interface ShowBooksOptions extends BooksOptions {
  /** A date-time, a date, or a duration back from now. @default the beginning */
  since?: string;
  by: SummedBy;
}

/** Credits by day, month, run or subject, over the whole time that the books cover. */
export async function showBooksCommand({ by, since: given, ...options }: ShowBooksOptions): Promise<number> {
  const since = given === undefined ? 0 : startOf(given, Date.now());
  const all = [];
  for (const [user, storage, standing] of await booksOf(options)) {
    const sums = new Map<string, number>();
    const add = (key: string, credits: number) => sums.set(key, (sums.get(key) ?? 0) + credits);
    for await (const { entry, booked } of linesOf(storage, user, standing)) {
      // Of what was spent before there were books only the days are known.
      if (entry.kind === 'begun' && by !== 'subject' && !(by === 'run' && since > 0))
        for (const [key, credits] of Object.entries(by === 'run' ? entry.runs : entry.days))
          if (by === 'run' || key >= dayOf(since, standing.timeZone))
            add(by === 'month' ? key.slice(0, 7) : key, credits);
      if (!booked || booked.at < since) continue;
      const day = dayOf(booked.at, standing.timeZone);
      add({ day, month: day.slice(0, 7), run: booked.run, subject: booked.subject }[by], booked.credits);
    }
    const credits = [...sums.values()].reduce((sum, one) => sum + one, 0);
    all.push({ user, ...summary(standing), ...(since > 0 && { since, credits }), by: Object.fromEntries(sums) });
  }
  if (options.json) printJson(all);
  else
    print(
      all
        .map(
          ({ user, account, credits, open, by: sums }) =>
            `${nameOf(user, account)}: ${number(credits)} credits booked${since > 0 ? ` since ${utc(since)} UTC` : ''}, ${number(open)} reserved\n${table(
              [by, 'credits'],
              Object.entries(sums).map(([key, sum]) => [key, number(sum)]),
            )}`,
        )
        .join('\n\n'),
    );
  return EXIT.done;
}

export interface ExportBooksOptions extends BooksOptions {
  format: 'csv' | 'json';
}

const HEAD = [
  ...['user', 'seq', 'at', 'kind', 'subject', 'run', 'attempt', 'credits', 'outcome', 'ref'],
  ...['by', 'identity', 'principal', 'said'],
];

/** Every entry as one line: CSV, or JSON as it is stored. */
export async function exportBooksCommand({ format, ...options }: ExportBooksOptions): Promise<number> {
  if (format === 'csv') print(HEAD.join(','));
  for (const [user, storage, standing] of await booksOf(options))
    for await (const { entry, text, booked } of linesOf(storage, user, standing))
      if (format === 'json') printStored(text);
      else
        print(
          [user, entry.seq, `${utc(entry.at)} UTC`, entry.kind, ...columnsOf(entry, booked?.credits ?? 0)]
            .map(cell)
            .join(','),
        );
  return EXIT.done;
}

/** From `subject` on. @param booked credits */
function columnsOf(entry: Entry, booked: number): (string | number)[] {
  switch (entry.kind) {
    case 'begun':
    case 'lost':
      return ['', '', '', booked, '', '', '', '', '', ''];
    case 'sending':
      return [entry.subject, entry.run, entry.attempt, entry.credits, '', '', '', '', '', ''];
    case 'became': {
      const { subject, run, attempt, settlement } = entry;
      const ref = 'ref' in settlement ? (settlement.ref ?? '') : '';
      return [subject, run, attempt, booked, settlement.kind, ref, '', '', '', ''];
    }
    case 'said':
      return ['', '', '', booked, '', '', '', '', '', JSON.stringify(entry.said)];
    case 'act': {
      const { workflowId, runId, update, by = '', identity = '', principal = '', said } = entry;
      return ['', oneLine(workflowId), runId, booked, update, '', by, identity, principal, said];
    }
  }
}

/** What people said to runs, and how runs began that paid, the last first. */
export async function listActsCommand(options: BooksOptions): Promise<number> {
  const all = [];
  for (const [user, storage, standing] of await booksOf(options)) {
    // Workers that do not know of each other may write the same one more than once.
    const acts = new Map<string, Act>();
    for await (const { entry } of linesOf(storage, user, standing))
      if (entry.kind === 'act' && !acts.has(entry.id)) acts.set(entry.id, entry);
    all.push({ user, account: standing.account, acts: [...acts.values()].reverse() });
  }
  if (options.json) printJson(all);
  else
    print(
      all
        .map(({ user, account, acts }) =>
          acts.length === 0
            ? `${nameOf(user, account)}: nobody said anything to a run.`
            : `${nameOf(user, account)}\n${table(
                ['when (UTC)', 'what', 'run', 'says to be', "the client's identity", 'the server says', 'said'],
                acts.map(({ when, update, workflowId, by, identity, principal, said }) => [
                  ...[utc(when), update, oneLine(workflowId), by, identity, principal, said],
                ]),
              )}`,
        )
        .join('\n\n'),
    );
  return EXIT.done;
}

/** The books that are asked for, each with what it will come to. */
export async function booksOf({
  user,
  account,
  timeZone,
  config,
}: BooksOptions): Promise<[string, Storage, Standing][]> {
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new Exit(EXIT.badInput, `--time-zone: '${timeZone}' is no IANA name such as Europe/Berlin`);
  const { storageUrl, accounts } = loadConfig({ env: process.env, file: config, tokens: false });
  const storage = openStorage(storageUrl);
  const all: [string, Storage, Standing][] = [];
  for (const one of await usersWithBooks(storage)) {
    if (user !== undefined && one !== user) continue;
    const owner = timeZone === undefined || account !== undefined ? await accountOfBooks(storage, one) : undefined;
    if (account !== undefined && owner !== account) continue;
    all.push([one, storage, new Standing(timeZone ?? (owner && accounts[owner]?.timeZone) ?? 'UTC')]);
  }
  const whose = user ?? account;
  if (all.length === 0)
    throw new Exit(
      EXIT.failed,
      `there are no books${whose === undefined ? '' : ` of '${whose}'`} in ${storage.describe()}: they begin with the first payment`,
    );
  return all;
}

export const summary = (standing: Standing) => ({
  account: standing.account,
  entries: standing.seq,
  lost: standing.lost,
  credits: [...standing.days.values()].reduce((sum, credits) => sum + credits, 0),
  open: reservedCredits({ flights: standing.sends }),
});

export const nameOf = (user: string, account: string): string => `Account ${account || '(unknown)'}, user ${user}`;
