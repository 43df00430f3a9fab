/** What a pipeline's schedule should be, and what a person should know before it is applied. */
import type { Pipeline } from '../../config';
import { resolveApproval } from '../../inputs/lead-pipeline';
import { fairnessKeyOf } from '../../runs/fairness-key';
import { WORKFLOW_TYPES } from '../../runs/workflow-types';
import { WORKFLOW_QUEUE } from '../../temporal/queues';
import { durationText, type ScheduleDefinition } from '../../temporal/schedule-definition';
import { searchAttributeKeys } from '../../temporal/search-attribute-keys';
import { namesBothDays, parseCron } from '../../time/cron';

/** A pipeline as the file wants it. */
export interface Wanted {
  pipeline: string;
  definition: ScheduleDefinition;
  paused: boolean;
  /** Sentences. */
  warnings: string[];
}

const kebab = (type: string) => type.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function wantedSchedule(pipeline: Pipeline): Wanted {
  const { name, account, workflow, input, cron, every, offset, description, priority } = pipeline;
  const { summary, leadId } = WORKFLOW_TYPES[workflow].plan(input);
  // The server appends the time of each run.
  const workflowId = `${kebab(workflow)}.${account}.${name}`;
  return {
    pipeline: name,
    paused: pipeline.paused,
    warnings: warnings(pipeline),
    definition: {
      ...{ workflow, input, cron: [...cron] },
      ...(every !== undefined && { every: durationText(every) }),
      ...(offset > 0 && { offset: durationText(offset) }),
      timeZone: pipeline.timeZone,
      jitter: durationText(pipeline.jitter),
      overlap: pipeline.overlap,
      catchupWindow: durationText(pipeline.catchupWindow),
      ...(description && { description }),
      ...{ summary, workflowId, taskQueue: WORKFLOW_QUEUE },
      priority: { priorityKey: priority, fairnessKey: fairnessKeyOf(workflowId) },
      searchAttributes: {
        [searchAttributeKeys.account.name]: account,
        [searchAttributeKeys.runKind.name]: 'schedule',
        ...(leadId !== undefined && { [searchAttributeKeys.leadId.name]: leadId }),
      },
    },
  };
}

function warnings({ workflow, input, cron }: Pipeline): string[] {
  const asks =
    workflow === 'leadPipeline' &&
    input.dryRun !== true &&
    input.approval === undefined &&
    resolveApproval(input) === 'all';
  return [
    ...(asks
      ? [
          'a person must approve each run, since its input names no budget: name maxCredits or maxConversions to have it approved',
        ]
      : []),
    ...cron
      .filter((expression) => namesBothDays(parseCron(expression)))
      .map(
        (expression) =>
          `'${expression}' runs only on days that are both that day of the month and that day of the week; for either, write two expressions`,
      ),
  ];
}
