/** The facts of a spending report: from the ledger, from what the server counts, and from a bounded number of runs. */
import type { Client } from '@temporalio/client';
import { KEEP_DAYS } from '../../ledger';
import type { AccountSpending, DaySpending, RunCounts } from '../../report/spending';
import { WORKFLOW_TYPES } from '../../runs/workflow-types';
import type { Storage } from '../../storage';
import type { Books } from '../ledgers';
import { batchesOf } from './batches';
import { bookedOn, daysBetween, Spent, startOfDay } from './days';
import { holdsOf } from './holds';
import { pipelinesOf } from './pipelines';
import { startReading } from './reading';
import { failuresOf } from './results';
import { sampleWaits } from './sample';
import { endedIn, Visibility } from './visibility';

/** @param storage where the worker keeps long lists */
export async function gather(
  client: Client,
  storage: Storage,
  { ledger, status, days: booked }: Books,
  given: readonly [number, number],
): Promise<AccountSpending> {
  const { account, budget, balance, reserved } = status;
  const { timeZone, perDay, balanceFloor } = budget;
  // The books have sums of whole days.
  const [since, until] = [startOfDay(given[0], timeZone), given[1]];
  const period = [since, until] as const;
  const visibility = new Visibility(client, account);
  const spent = new Spent(timeZone);
  const reading = startReading(storage);
  const runs = await Promise.all(Object.keys(WORKFLOW_TYPES).map((type) => countsOf(visibility, type, period)));
  const endedAs = (type: string, word: string) => runs.find((one) => one.type === type)?.ended[word] ?? 0;
  const { pipelines, listed, chosen } = await pipelinesOf(client, visibility, period, spent, reading);
  const { batches, leads, quarantined } = await batchesOf(client, visibility, period, spent, timeZone, reading);
  const days = await Promise.all(
    daysBetween(since, until, timeZone).map(async ({ day, from, to }): Promise<DaySpending> => {
      const conversions = await visibility.count('convertLead', `${endedIn(from, to)} AND Stage = 'converted'`);
      return { day, booked: bookedOn(booked, day, KEEP_DAYS), sources: spent.of(day), conversions };
    }),
  );
  const isListed = listed !== undefined || leads > 0;
  return {
    ...{ account, ledger, timeZone, perDay, balanceFloor, reserved, days, runs, pipelines, batches },
    ...(balance !== undefined && { balance }),
    funnel: {
      ...(isListed && { listed: (listed ?? 0) + leads, chosen: (chosen ?? 0) + leads }),
      converted: endedAs('convertLead', 'converted'),
      audited: endedAs('auditProject', 'audited'),
    },
    waits: await sampleWaits(client, visibility, runs, period),
    holds: await holdsOf(client, ledger, status.holds, period),
    failures: await failuresOf(client, visibility, runs, period, quarantined),
    notes: [...notesOn(days), ...reading.notes],
  };
}

async function countsOf(
  visibility: Visibility,
  type: string,
  [since, until]: readonly [number, number],
): Promise<RunCounts> {
  const [running, ended] = await Promise.all([
    visibility.count(type, "ExecutionStatus = 'Running'"),
    visibility.endings(type, since, until),
  ]);
  return { type, running, ended };
}

function notesOn(days: readonly DaySpending[]): string[] {
  const dropped = days.filter(({ booked }) => booked === null).length;
  return [
    'Credits of a pipeline or a batch stand on the day on which its run ended, those of a batch of several days on the days of its items; the sum of a day is that of the books.',
    'The cap is the one that holds now: caps of earlier days are not kept.',
    'Leads of pipelines are counted once, also where several runs listed them; a lead in a batch counts as listed and chosen. Conversions and audits are all that ended in the period, whoever started them.',
    ...(dropped > 0
      ? [
          `The books hold the last ${KEEP_DAYS} days on which something was spent: of ${dropped} days the sum is not known.`,
        ]
      : []),
  ];
}
