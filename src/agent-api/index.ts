/** The Agent API client as a library: `audit-runner/agent-api`. It needs no Temporal. */
export { type BaseUrl, parseBaseUrl } from './base-url';
export type { CallInput, RawBody } from './call-input';
export {
  type AgentApi,
  type AgentApiOptions,
  createAgentApi,
  type Timeouts,
} from './client';
export type { Attempt, Failure } from './failure';
export { type Admission, createGate, type Gate, type GateOptions } from './gate';
export type { StreamedBody } from './http';
export { InvalidCall } from './invalid-call';
export { type QueueClass, queueClassOf, type RateClass } from './rate-class';
export * from './records';
export { LIMITS, PAID_MS_MIN, type Reply, type Route, type RouteName, routes } from './routes';
export { TokenError, type TokenSource, tokenFromEnv, tokenFromFile, tokenFromText } from './token';
export {
  Undocumented,
  /** @deprecated Its name before 0.3: `Undocumented`. */
  Undocumented as Unshown,
  UnreadableBody,
} from './undocumented';
export { type DocumentFile, documentUpload } from './upload';
