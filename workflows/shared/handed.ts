/**
 * What a run hands on when it continues as new. Whoever starts a run by hand may give it anything, also once more at each
 * turn of `temporal workflow start --cron`; but nobody knows beforehand which ID its first run will have.
 */
import { workflowInfo } from '@temporalio/workflow';
import type { HandedOn } from '../../src/runs/handed-on';

export const handOn = <T>(state: T): HandedOn<T> => ({ of: workflowInfo().firstExecutionRunId, state });

/** @returns what an earlier part of this very run handed on; undefined where somebody else gave it */
export const handed = <T>(given: Partial<HandedOn<T>> | undefined): T | undefined =>
  typeof given === 'object' && given !== null && given.of === workflowInfo().firstExecutionRunId
    ? given.state
    : undefined;
