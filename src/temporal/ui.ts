/** Addresses in Temporal's Web UI. */

/** A run's page. */
export const linkTo = (uiUrl: string, namespace: string, workflowId: string): string =>
  `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
