/** `audit-runner schedules list`: when pipelines run next, how their last runs ended, and which are paused. */
import { type ScheduleExecutionResult, WorkflowNotFoundError } from '@temporalio/client';
import { isOpen } from '../../runs/is-open';
import { ownedPipelines, readSchedule, type StoredSchedule, scheduleId } from '../../temporal/schedules';
import { searchAttributeKeys } from '../../temporal/search-attribute-keys';
import { PROGRAM } from '../../text/command';
import { utc } from '../../time/utc';
import { EXIT } from '../exit';
import { print, printJson, table } from '../output';
import { pageOf, type Reached } from '../server';
import { withServer } from './connect';
import { outline } from './show';

/** One run of a pipeline. Times are ISO 8601. */
interface Run {
  workflowId: string;
  scheduledAt: string;
  /** As Temporal says; `GONE` when the run is no longer kept. */
  status: string;
  /** Where the run is, or how it ended: its own word. */
  stage?: string;
  needsPerson: boolean;
  link?: string;
}

interface Listed {
  pipeline: string;
  scheduleId: string;
  runs: string;
  paused: boolean;
  note: string;
  /** Empty while it is paused. */
  next: string[];
  /** Newest first. */
  last: Run[];
  /** Times at which the last run was still under way, and times missed while Temporal was down. */
  skipped: number;
  missed: number;
}

const LAST = 3;
const NEXT = 3;

export async function listCommand({ json }: { json?: boolean }): Promise<number> {
  return withServer('reads', async (reached) => {
    const { client } = reached;
    const names = await ownedPipelines(client);
    const stored = await Promise.all(names.map((name) => readSchedule(client, name)));
    const owned = stored.filter((one): one is StoredSchedule => one !== undefined && one !== 'foreign');
    const listed = await Promise.all(owned.map((one) => listing(reached, one)));
    if (json) printJson({ schedules: listed });
    else print(show(listed));
    return EXIT.done;
  });
}

async function listing(reached: Reached, stored: StoredSchedule): Promise<Listed> {
  const { pipeline, definition, paused, note, info } = stored;
  const recent = info.recentActions.slice(-LAST).reverse();
  return {
    ...{ pipeline, scheduleId: scheduleId(pipeline), runs: outline(definition), paused, note },
    next: paused ? [] : info.nextActionTimes.slice(0, NEXT).map((time) => time.toISOString()),
    last: await Promise.all(recent.map((action) => run(reached, action))),
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
  };
}

async function run(reached: Reached, { scheduledAt, action }: ScheduleExecutionResult): Promise<Run> {
  const { workflowId } = action.workflow;
  const about = { workflowId, scheduledAt: scheduledAt.toISOString() };
  try {
    // Without the run's own ID: the newest, after it has continued as new.
    const { status, runId, typedSearchAttributes } = await reached.client.workflow.getHandle(workflowId).describe();
    const link = pageOf(reached, workflowId, runId);
    const stage = typedSearchAttributes.get(searchAttributeKeys.stage);
    const asks = typedSearchAttributes.get(searchAttributeKeys.needsPerson) === true;
    const needsPerson = isOpen(status) && asks;
    return { ...about, ...(link && { link }), status: status.name, ...(stage !== undefined && { stage }), needsPerson };
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return { ...about, status: 'GONE', needsPerson: false };
  }
}

function show(listed: readonly Listed[]): string {
  if (listed.length === 0) return `There are no schedules: \`${PROGRAM} schedules apply\` makes them.`;
  const time = (iso: string | undefined) => (iso === undefined ? '-' : utc(Date.parse(iso)));
  return table(
    ['pipeline', 'runs', 'state', 'next (UTC)', 'last (UTC)', 'outcome'],
    listed.map(({ pipeline, runs, paused, note, next, last: [newest] }) => [
      ...[pipeline, runs, paused ? `paused${note ? `: ${note}` : ''}` : 'active'],
      ...[time(next[0]), time(newest?.scheduledAt), newest ? outcome(newest) : '-'],
    ]),
  );
}

function outcome({ status, stage, needsPerson }: Run): string {
  const words = [status.toLowerCase(), ...(stage === undefined ? [] : [stage])].join(', ');
  return needsPerson ? `${words}, needs a person` : words;
}
