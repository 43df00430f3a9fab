/** What people read of a run under *Current Details*. */
import type { Client } from '@temporalio/client';

export const detailsOf = ({ workflow }: Client, workflowId: string): Promise<string> =>
  workflow
    .getHandle(workflowId)
    .query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    .then(({ currentDetails = '' }) => currentDetails);
