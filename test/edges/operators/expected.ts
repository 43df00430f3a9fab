/** What is known to come out wrong, and what will mend it. */

const BOOKS = 'no worker is left that knew the ledger, and the books do not outlive it yet (issue 15)';

const MADE_UP =
  'a result that a person makes up with `temporal activity complete` is believed; a run that cannot go on by it is named by status and doctor';

const SUMS = 'what a deleted ledger had booked before is nowhere else yet (issue 15); nothing is paid twice for it';
const NOT_THERE = 'the service itself says that the lead is not there, and whoever begins anew is told so';

const EXPECTED: readonly [case_: RegExp, why: string][] = [
  [/\/activity-complete$/, MADE_UP],
  [/\/ledger-delete$|^accountLedger\.\w+\/delete$/, SUMS],
  [/^convertLead\.asking\/(delete|terminate|start-again|reset-.*)$/, NOT_THERE],
  [/^convertLead\.worker-lost\/ledger-(delete|reset-.*)$/, BOOKS],
];

/** @returns why this case fails, where that is known */
export const expected = (name: string): string | undefined => EXPECTED.find(([one]) => one.test(name))?.[1];
