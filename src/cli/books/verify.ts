/** `audit-runner books verify`: whether books are as they were written. */
import { lackingIn, leftReserved } from '../../books/against-ledger';
import { Standing } from '../../books/standing';
import { type Beside, verify } from '../../books/verifying';
import type { LedgerState } from '../../ledger';
import { stateQuery } from '../../ledger/messages';
import { StorageError } from '../../storage';
import { PROGRAM } from '../../text/command';
import { counted } from '../../text/numbers';
import { EXIT } from '../exit';
import { askLedger } from '../ledgers';
import { number, print, printJson, tell } from '../output';
import { withServer } from '../server';
import { ranges } from './ranges';
import { type BooksOptions, booksOf, nameOf, summary, type UsersBooks } from './read';

export interface VerifyBooksOptions extends BooksOptions {
  /** Compares what is in them with what the ledgers know. @default false */
  withLedger?: boolean;
}

/** Reads all of them and says whether they are whole. */
export async function verifyBooksCommand({ withLedger = false, ...options }: VerifyBooksOptions): Promise<number> {
  const all = await booksOf(options);
  // Asked first: what is written meanwhile is in the books alone.
  const ledgers = withLedger ? await ledgersOf(all) : new Map<string, LedgerState>();
  const found = [];
  for (const books of all) {
    const { user } = books;
    const ledger = ledgers.get(user);
    const standing = ledger ? new Standing(ledger.timeZone) : books.standing;
    const [problems, isWhole] = await problemsOf({ ...books, standing }, ledger);
    const left = ledger && isWhole ? leftReserved(standing, ledger, Date.now()) : [];
    found.push({ user, ...summary(standing), problem: problems[0], problems, left, isWhole });
  }
  if (options.json) printJson(found.map(({ isWhole: _, ...one }) => one));
  else
    for (const { user, account, entries, credits, open, lost, problems, left, isWhole } of found) {
      const what = `${counted(entries, 'entry', 'entries')}, ${number(credits)} credits booked, ${number(open)} reserved for what may be under way`;
      const without = lost === 0 ? '' : `, but without ${number(lost)} that were given up`;
      const name = nameOf(user, account);
      if (!isWhole) tell(`${name}: damaged after ${what}. ${problems.join('; ')}`);
      else if (problems.length === 0) print(`${name}: whole${without}; ${what}`);
      else tell(`${name}: its entries follow each other${without} (${what}), but\n- ${problems.join('\n- ')}`);
      for (const one of left) tell(`${name}: ${one}`);
    }
  if (!options.json && !withLedger) tell(UNSEEN);
  return found.some(({ problems }) => problems.length > 0) ? EXIT.failed : EXIT.done;
}

const UNSEEN = `Not seen: whether the last entries, of which there is no copy yet, are missing, or were changed along with their checksums. \`${PROGRAM} books verify --with-ledger\` compares them with what the ledger knows.`;

/** @returns what is wrong, and whether all entries are there and follow each other */
async function problemsOf(
  { user, storage, standing }: UsersBooks,
  ledger: LedgerState | undefined,
): Promise<[problems: string[], isWhole: boolean]> {
  try {
    const beside = await verify(storage, user, standing);
    const lacking = ledger ? lackingIn(standing, ledger, Date.now()) : [];
    return [[...lacking.map((what) => `${what}: ${FROM_BACKUP}`), ...describeBeside(user, beside, ledger)], true];
  } catch (error) {
    if (!(error instanceof StorageError) || error.kind !== 'damaged') throw error;
    return [[error.message], false];
  }
}

const FROM_BACKUP = 'if the last entries were removed or changed, put them back from a backup of the storage';

function describeBeside(
  user: string,
  { missing, untrue, hasPlace }: Beside,
  ledger: LedgerState | undefined,
): string[] {
  const place = ledger?.place;
  const content = place === undefined ? '' : `, or write ${JSON.stringify({ v: 1, id: place })} into it`;
  return [
    ...(missing.length === 0
      ? []
      : [
          `missing: ${ranges(missing, 'segment', 'segments')}. \`${PROGRAM} books restore\` copies the entries again, and so does the next worker that starts`,
        ]),
    ...(untrue.length === 0
      ? []
      : [
          `no copies of the entries: ${ranges(untrue, 'segment', 'segments')}. \`${PROGRAM} books restore\` copies them again`,
        ]),
    ...(hasPlace
      ? []
      : [
          `'books/${user}/storage.json' is missing or was changed: put it back from a backup of the storage${content}. Without it the next worker takes the storage for another one, and the account goes on hold`,
        ]),
  ];
}

async function ledgersOf(all: readonly UsersBooks[]): Promise<Map<string, LedgerState>> {
  return withServer('reads', async ({ client }) => {
    const states = all.map(({ user }) =>
      askLedger(client, `account-ledger.${user}`, (ledger) => ledger.query(stateQuery)),
    );
    return new Map((await Promise.all(states)).map((state, i) => [all[i]?.user ?? '', state]));
  });
}
