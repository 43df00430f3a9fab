/** What a run would cost and how long it would take at the limits, for dry runs. Pure. */
import type { QueueClass } from '../agent-api/rate-class';
import { countedFrom } from '../text/estimate';
import { grouped } from '../text/numbers';
import { formatDuration } from '../time/duration';

/** What a run is about to do. */
export interface Planned {
  /** Conversions, one write each. */
  readonly conversions: number;
  /** Reads in all, those before each conversion included. */
  readonly reads: number;
  /** Job polls in all. @default 0 */
  readonly polls?: number;
  /** Requests in any window, per class. */
  readonly limits: Readonly<Record<QueueClass, { readonly max: number; readonly windowMs: number }>>;
  /** Credits that one conversion costs. */
  readonly price: number;
  /** Why nothing goes on at the moment, in our own words without a full stop; absent when it does. */
  readonly standstill?: string | undefined;
}

/** A plan. */
export interface Plan {
  readonly calls: Readonly<Record<QueueClass, number>>;
  readonly credits: number;
  /** How long the slowest class takes at its limit, when nothing else uses the token. Milliseconds. */
  readonly durationMs: number;
  /** One sentence for a person. */
  readonly text: string;
}

const NOUNS: Readonly<Record<QueueClass, string>> = { reads: 'read', writes: 'write', polls: 'job poll' };

/**
 * Plans a run.
 * @throws {RangeError} for a number below 0 or a limit that lets nothing through
 */
export function plan({ conversions, reads, polls = 0, limits, price, standstill }: Planned): Plan {
  const calls = { reads, writes: conversions, polls };
  const classes = ['writes', 'reads', 'polls'] as const;
  if (![...Object.values(calls), price].every((n) => n >= 0 && Number.isFinite(n)))
    throw new RangeError('a plan counts calls and credits of at least 0');
  if (!classes.every((name) => limits[name].max > 0 && limits[name].windowMs > 0))
    throw new RangeError('a plan needs limits above 0');
  // The classes have their own limits and run side by side, so the slowest one decides.
  const times = classes.map((name) => (calls[name] / limits[name].max) * limits[name].windowMs);
  const durationMs = Math.ceil(Math.max(...times));
  const credits = conversions * price;
  const counted = classes.filter((name) => calls[name] > 0).map((name) => amount(calls[name], NOUNS[name]));
  const work = `${amount(conversions, 'conversion')} for ${amount(credits, 'credit')}`;
  const text =
    counted.length === 0
      ? 'Nothing to do: no calls, no credits.'
      : `${work}: ${counted.join(', ')}; ${durationMs < 1_000 ? '' : 'about '}${formatDuration(durationMs)} at the limits of the API.${countedFrom(standstill)}`;
  return { calls, credits, durationMs, text };
}

/** '5,000 writes'. */
const amount = (n: number, noun: string) => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;
