/** The gate and the client of an account, measured. Where metrics are off they are what they were. */
import { performance } from 'node:perf_hooks';
import type { CallInput } from '../agent-api/call-input';
import type { AgentApi } from '../agent-api/client';
import type { Attempt } from '../agent-api/failure';
import type { Gate } from '../agent-api/gate';
import { queueClassOf } from '../agent-api/rate-class';
import { type RouteName, routes } from '../agent-api/routes';
import { count, isMeasured, observe } from './meter';

const secondsSince = (began: number) => (performance.now() - began) / 1_000;

export function measuredGate(account: string, gate: Gate): Gate {
  if (!isMeasured()) return gate;
  return {
    ...gate,
    async acquire(rateClass, options) {
      const began = performance.now();
      const labels = { account, rate_class: rateClass };
      const admission = await gate.acquire(rateClass, options);
      observe('audit_runner_permit_wait_seconds', labels, secondsSince(began));
      if (!admission.ok) count('audit_runner_permits_refused_total', labels);
      return admission;
    },
  };
}

export function measuredApi(account: string, api: AgentApi): AgentApi {
  if (!isMeasured()) return api;
  return {
    ...api,
    async call<N extends RouteName>(name: N, input?: CallInput) {
      const began = performance.now();
      const queue = queueClassOf(routes[name].rateClass);
      const attempt = await api.call(name, input);
      count('audit_runner_requests_total', { account, route: name, queue, outcome: outcomeOf(attempt) });
      // What never left tells nothing about the service.
      if (attempt.sentAt !== undefined)
        observe('audit_runner_request_duration_seconds', { account, queue }, secondsSince(began));
      return attempt;
    },
  };
}

function outcomeOf(attempt: Attempt<unknown>): string {
  if (attempt.ok) return 'ok';
  const { failure } = attempt;
  return failure.kind === 'rejected' && failure.status === 429 ? 'throttled' : failure.kind;
}
