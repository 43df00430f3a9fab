/** `audit-runner books restore`: entries that are missing or were changed are written again from their copies, or given up. */
import { type Mended, mend } from '../../books/mending';
import { StorageError } from '../../storage';
import { PROGRAM } from '../../text/command';
import { counted } from '../../text/numbers';
import { EXIT } from '../exit';
import { number, print, printJson, tell } from '../output';
import { ranges } from './ranges';
import { type BooksOptions, booksOf, nameOf, summary } from './read';

export interface RestoreBooksOptions extends BooksOptions {
  giveUpLost?: boolean;
}

export async function restoreBooksCommand({ giveUpLost = false, ...options }: RestoreBooksOptions): Promise<number> {
  const all = [];
  for (const { user, storage, standing } of await booksOf(options)) {
    const mended = await mend(storage, user, standing, { givesUpLost: giveUpLost, now: Date.now() }).catch(
      (error: unknown) => {
        if (!(error instanceof StorageError)) throw error;
        return error;
      },
    );
    if (mended instanceof StorageError) {
      all.push({ user, isWhole: false, problem: mended.message });
      if (!options.json) tell(`${nameOf(user, standing.account)}: ${mended.message}`);
      continue;
    }
    const isWhole = mended.lost.length === 0 || giveUpLost;
    all.push({ user, ...(isWhole ? summary(standing) : {}), ...mended, isWhole });
    if (!options.json) {
      const name = nameOf(user, standing.account);
      for (const line of done(mended, giveUpLost)) print(`${name}: ${line}`);
      if (isWhole)
        print(
          `${name}: whole; ${counted(standing.seq, 'entry', 'entries')}, ${number(summary(standing).credits)} credits booked`,
        );
      else tell(`${name}: ${stillLost(mended)}`);
      if (mended.lost.length > 0 && giveUpLost) print(GIVEN_UP);
    }
  }
  if (options.json) printJson(all);
  return all.every(({ isWhole }) => isWhole) ? EXIT.done : EXIT.failed;
}

const GIVEN_UP =
  'What they said is not known: the sums and ceilings of these books lack what was paid by them. The ledger may know more: ' +
  `compare \`${PROGRAM} spend\` and the balance with \`${PROGRAM} books show\`.`;

function done({ restored, lost, segments }: Mended, giveUpLost: boolean): string[] {
  return [
    ...(restored.length > 0 ? [`written again from their copies: ${ranges(restored, 'entry', 'entries')}`] : []),
    ...(lost.length > 0 && giveUpLost ? [`given up: ${ranges(lost, 'entry', 'entries')}`] : []),
    ...(segments.length > 0 ? [`copied again: ${ranges(segments, 'segment', 'segments')}`] : []),
  ];
}

const stillLost = ({ lost }: Mended): string =>
  `${ranges(lost, 'entry', 'entries')} cannot be had from copies. Copy them from a backup of the storage into books/ there, ` +
  `without changing anything else, and run it again. If there is none, \`${PROGRAM} books restore --give-up-lost\` goes on without them.`;
