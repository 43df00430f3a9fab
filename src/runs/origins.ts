/**
 * How data came to a worker that requires encryption. Its codec puts that beside them; where they arrive it is judged and taken
 * off. Judged there and not by the codec, since only there it is known which message they are, when the run began and
 * what time it is for the run: a replay has to come to the same.
 */
import { z } from 'zod';
import { utc } from '../time/utc';

const ORIGIN = 'audit-runner/origin';

const Origin = z.object({
  /**
   * `plain`: not encrypted. `earlier`: encrypted by a version that bound nothing (0.2.0). `namespace`: bound to no run, as a codec
   * server does it. `run`: bound to where it was read.
   */
  form: z.enum(['plain', 'earlier', 'namespace', 'run']),
  /** The message that it was encrypted as. */
  as: z.string().optional(),
  /** When, milliseconds since 1970. */
  at: z.number().optional(),
  /** Tells one encryption from all others. */
  seal: z.string().optional(),
  /** The data are no object, and stand beside this as `value`. */
  within: z.boolean().optional(),
});
export type Origin = z.output<typeof Origin>;

/** Where workflow code finds, as JSON, that encryption is required. */
export const REQUIREMENT = 'auditRunnerRequirement';

/** From when on the workers of a namespace require encryption. Milliseconds since 1970. */
export const Requirement = z.object({
  since: z.number(),
  /** Until then what is older is read of runs that began before `since`. */
  until: z.number(),
});
export type Requirement = z.output<typeof Requirement>;

/** How long after it was required: runs that were open then have heard by then what was on its way. */
export const GRACE_MS = 30 * 86_400_000;
/** By how much clocks may differ; so long a message can be played again to a run that has begun meanwhile. */
const CLOCKS_MS = 5 * 60_000;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const withOrigin = (value: unknown, origin: Origin): unknown =>
  isObject(value) ? { ...value, [ORIGIN]: origin } : { [ORIGIN]: { ...origin, within: true }, value };

/** Both, apart; without an origin where no codec has put one. */
export function apart(data: unknown): { value: unknown; origin?: Origin } {
  if (!isObject(data) || !Object.hasOwn(data, ORIGIN)) return { value: data };
  const { [ORIGIN]: found, ...value }: { [ORIGIN]?: unknown } = data;
  const origin = Origin.parse(found);
  return { origin, value: origin.within ? Reflect.get(value, 'value') : value };
}

/** Where data arrive. */
export interface Arrival {
  what: 'start' | 'signal' | 'update' | 'query' | 'result' | 'arguments';
  /** Of a message, or the workflow's type. */
  name: string;
  workflowId: string;
  /** When the run began; of an activity's arguments, when it was scheduled. */
  startedAt: number;
  now: number;
  /** The run that the message says it is for. */
  run?: unknown;
  /** It is said by workers, whose clocks stop no payment here. */
  byWorker?: boolean;
}

/** Why data are refused, in a sentence; undefined where they are taken. */
export function refusal(origin: Origin, arrival: Arrival, required: Requirement): string | undefined {
  const { what, name, workflowId, run } = arrival;
  const { form, as } = origin;
  if (form === 'plain' || form === 'earlier') return isOld(arrival, required) ? undefined : unbound(form, required);
  if (form === 'namespace') {
    if (what === 'query') return undefined;
    if (what === 'update' && run !== workflowId)
      return `it was encrypted for no run in particular, as a codec server does it; add "run": "${workflowId}" to it`;
    if (what !== 'start' && what !== 'update') return 'it was encrypted for no run in particular';
    return untimely(origin, arrival);
  }
  if (as === undefined) return undefined;
  return as === `${what} ${name}` ? untimely(origin, arrival) : `it was encrypted as another message (${as})`;
}

/** What came before encryption was required, or was on its way then. Nobody needs to send a message like that afterwards. */
const isOld = ({ what, startedAt, now }: Arrival, { since, until }: Requirement): boolean =>
  what !== 'update' && what !== 'query' && startedAt < since && now < until;

function unbound(form: 'plain' | 'earlier', { since, until }: Requirement): string {
  const how = form === 'plain' ? 'not encrypted' : 'encrypted by an earlier version, for no run in particular';
  return `it is ${how}, and encryption is required here since ${utc(since)} UTC; what runs that were open then have heard before is read, and what was on its way to them until ${utc(until)} UTC`;
}

/** A copy of what another run of this ID was started with, or told. */
function untimely({ at }: Origin, { what, startedAt, byWorker }: Arrival): string | undefined {
  if (byWorker || what === 'query' || what === 'signal') return undefined;
  if (at === undefined) return 'it was not encrypted as a message';
  const isEarly = at < startedAt - CLOCKS_MS;
  if (!isEarly && (what === 'update' || at <= startedAt + CLOCKS_MS)) return undefined;
  return `it was encrypted ${utc(at)} UTC, and this run began ${utc(startedAt)} UTC: it is a copy, or the clock of whoever sent it is wrong`;
}
