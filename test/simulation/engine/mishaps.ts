/** What may go wrong with any message, task or step, and its usual share of all of them. */
export const MISHAPS = {
  requestLost: 0.02,
  replyLost: 0.02,
  slow: 0.02,
  listsLate: 0.3,
  workflowTaskLost: 0.01,
  workflowTaskLate: 0.01,
  activityTaskLost: 0.01,
  evicted: 0.1,
  workerKilled: 0.002,
  storageFull: 0.02,
  storageReplyLost: 0.02,
  listedLate: 0.1,
  connectionRefused: 0.03,
} as const;
export type Mishap = keyof typeof MISHAPS;

/** What may go wrong, by the name of the mishap: asked each time that it could. */
export interface Mishaps {
  happens(what: Mishap): boolean;
}
