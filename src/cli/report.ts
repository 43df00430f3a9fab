/** `audit-runner report`: what was spent and what came of it, as a page to look at and hand on. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { renderSpending, SPENDING_FILES } from '../report/spending';
import { bookedIn } from '../report/spending/facts';
import { openStorage } from '../storage';
import { counted } from '../text/numbers';
import { DAY_MS } from '../time/day';
import { utc } from '../time/utc';
import { EXIT, Exit } from './exit';
import { type Books, readBooks, requireLedgers } from './ledgers';
import { number, print, printJson, tell } from './output';
import { startOfDay } from './report/days';
import { gather } from './report/gather';
import { configHere, withServer } from './server';
import { startOf } from './since';

export interface ReportOptions {
  /** A date-time, a date, or a duration back from now. */
  since: string;
  account?: string;
  /** The folder into which the files are written. */
  out: string;
  json?: boolean;
  config?: string;
}

/** Each day is a question to the server, and a bar of the picture. */
const MOST_DAYS = 366;

export async function reportCommand({ since: given, account, out, json, config }: ReportOptions): Promise<number> {
  const madeAt = Date.now();
  const since = notTooLong(startOf(given, madeAt), madeAt);
  const { storageUrl } = await configHere(config, { tokens: false });
  return withServer('reads', async ({ client }) => {
    const ledgers = await requireLedgers(client, account);
    const read = await Promise.allSettled(ledgers.map((ledger) => readBooks(client, ledger)));
    const books = read.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    for (const one of read)
      if (one.status === 'rejected') {
        if (!(one.reason instanceof Exit) || books.length === 0) throw one.reason;
        tell(`Left out: ${one.reason.message}`);
      }
    const from = Math.min(...books.map(({ status }) => startOfDay(since, status.budget.timeZone)));
    const storage = openStorage(storageUrl);
    const accounts = [];
    for (const one of presentOf(books)) accounts.push(await gather(client, storage, one, [since, madeAt]));
    const facts = { madeAt, since: from, accounts };
    const files = await write(resolve(out), renderSpending(facts));
    if (json) printJson({ files, ...facts });
    else {
      for (const one of accounts)
        print(
          `Account ${one.account}: ${number(bookedIn(one))} credits since ${utc(from)} UTC, ${counted(one.funnel.converted, 'conversion')}, ${number(one.failures.of)} not ended well`,
        );
      print(`Report: ${files.html}\nThe same for programs: ${files.json}, ${files.csv}`);
    }
    return EXIT.done;
  });
}

function notTooLong(since: number, now: number): number {
  if (now - since > MOST_DAYS * DAY_MS)
    throw new Exit(EXIT.badInput, `--since lies more than ${MOST_DAYS} days back; give a later moment`);
  return since;
}

/** Of an account whose token became another user's, the ledger of the present one: runs do not tell them apart. */
function presentOf(books: readonly Books[]): Books[] {
  const latest = new Map<string, Books>();
  for (const one of books) {
    const { account, configuredAt = 0 } = one.status;
    if (configuredAt >= (latest.get(account)?.status.configuredAt ?? 0)) latest.set(account, one);
  }
  return [...latest.values()].sort((a, b) => (a.status.account < b.status.account ? -1 : 1));
}

async function write<K extends keyof typeof SPENDING_FILES>(
  folder: string,
  contents: Record<K, string>,
): Promise<Record<K, string>> {
  await mkdir(folder, { recursive: true });
  const names = Object.keys(contents) as K[];
  const paths = names.map((name) => [name, join(folder, SPENDING_FILES[name])] as const);
  for (const [name, path] of paths) await writeFile(path, contents[name]);
  return Object.fromEntries(paths) as Record<K, string>;
}
