import { patched } from '@temporalio/workflow';

/** Runs of before reported also what another batch had paid by a run under the same ID. */
export const mindsBudget = (): boolean => patched('mindsBudget');
