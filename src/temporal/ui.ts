/** Addresses in Temporal's Web UI. */

/**
 * A run's page. With its run ID, the tab *User Metadata*, where the run says what it does and why it waits; without, the history
 * of the newest run of this ID, since the Web UI has no address of that run's tabs (seen on UI 2.42.1).
 */
export const linkTo = (uiUrl: string, namespace: string, workflowId: string, runId?: string): string =>
  `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}${
    runId === undefined ? '' : `/${encodeURIComponent(runId)}/user-metadata`
  }`;
