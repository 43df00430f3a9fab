/** What `demo` proves: the ledger's books and the service's own agree, and nothing was paid for twice. */
import type { Sandbox, Stats } from '../sandbox';
import { counted } from '../text/numbers';
import { number, print, styled } from './output';
import type { Books } from './spend';

/** Prints both books side by side. @returns whether they agree, and the faults that were wanted did happen */
export function prove(
  { bookings }: Pick<Books, 'bookings'>,
  { userId }: Pick<Sandbox, 'userId'>,
  stats: Stats,
  faults: number,
): boolean {
  const booked = bookings.reduce((sum, { credits }) => sum + credits, 0);
  const spent = stats.creditsSpent[userId] ?? 0;
  const twice = stats.paidTwice.length;
  const overlapping = stats.paidOverlapping.length;
  const writes = stats.windows.filter(({ rateClass }) => rateClass === 'writes');
  const most = Math.max(0, ...writes.map(({ largest }) => largest));
  const limit = writes[0]?.limit;
  const checks = [
    {
      name: 'faults that happened',
      value: `${stats.faults.length} of ${faults}`,
      right: stats.faults.length === faults,
    },
    { name: 'credits spent, by the ledger', value: number(booked), right: booked === spent },
    { name: 'credits spent, by the sandbox', value: number(spent), right: booked === spent },
    { name: 'leads paid for twice', value: number(twice), right: twice === 0 },
    { name: 'paid calls under way at once', value: counted(overlapping, 'subject'), right: overlapping === 0 },
    {
      name: 'most writes in any window',
      value: `${most}${limit === undefined ? '' : ` of ${limit}`}`,
      right: limit === undefined || most <= limit,
    },
  ];
  const answers = Object.entries(stats.requests.byStatus).map(([status, count]) => `${count} × ${status}`);
  print(`\n${'answers of the sandbox'.padEnd(30)} ${answers.join(', ')}`);
  for (const { name, value, right } of checks)
    print(`${name.padEnd(30)} ${value.padEnd(10)} ${right ? styled('green', 'right') : styled('red', 'WRONG')}`);
  return checks.every(({ right }) => right);
}
