/** S7: whether a run that waits may go on, and if not, what keeps it and until when. */
import { ApplicationFailure } from '@temporalio/common';
import { type RouteName, routes } from '../src/agent-api/routes';
import { describeCeiling, type OverCeiling } from '../src/books/ceilings';
import { type Hold, type PricedCall, stopping } from '../src/ledger';
import { describeHold } from '../src/ledger/describe-holds';
import { describePatience, describePause } from '../src/ledger/details';
import { describeShortage } from '../src/ledger/shortage';
import { isPaidKind, PAID } from '../src/paying/once-only';
import { partsOf } from '../src/paying/subject';
import { FailureType } from '../src/runs/failure-types';
import { StorageError } from '../src/storage';
import { type AccountRuntime, type Deps, runtimeOf } from './deps';

/** What a waiting run wants to do. */
export interface ClearanceAsked {
  account: string;
  /** What is about to be spent; 0: nothing, then a lack of credits does not stand in the way. */
  credits: number;
  /** What that is for: the price of now counts then, whatever it was when the run was told to wait. @default `credits` counts */
  subject?: string;
  /** Only holds count, no budget. @default false */
  holdsOnly?: boolean;
  /** Key of the run whose cap counts; when it is over nothing is waited for. */
  run?: string;
  /** Runs that the asker waits for. @default none */
  others?: readonly string[];
}

/** Whether a waiting run may go on, and if not, why and until when. */
export interface Clearance {
  clear: boolean;
  why?: string;
  /** It is a limit on what may be spent, and no hold. */
  short?: boolean;
  /** The service asked to wait: a sentence. What was asked for may go on all the same, with other calls. */
  pause?: string;
  /** One of the others, or one that these wait for, cannot go on by itself: a sentence. */
  stuck?: string;
  /** Those of the others that are not running. */
  closed?: string[];
  /**
   * What keeps it, in a word that stays the same as long as that does, whichever worker is asked: they may be of several
   * versions, and configured with several prices. Absent where it cannot be told.
   */
  what?: string;
  /** When it ends by itself or is tried again, by the Temporal server's clock in milliseconds; 0: nobody can tell. */
  until?: number;
}

/** As a {@link Clearance.until}. */
export const UNTOLD = 0;

export async function clearanceOf(deps: Deps, asked: ClearanceAsked): Promise<Clearance> {
  const runtime = runtimeOf(deps, asked.account);
  try {
    const ledger = await runtime.ledger();
    // A ledger on hold that was terminated would keep everybody waiting: its status starts another.
    const status = await ledger.status();
    if (!status) return { clear: false, why: (await ledger.trouble()) ?? 'the ledger does not answer yet' };
    const call = asked.credits > 0 ? callOf(runtime, asked) : undefined;
    const credits = call?.credits ?? asked.credits;
    // Known without asking again: a thousand runs may wait for a hold.
    const holds = stopping(status.holds, credits);
    if (holds.length > 0) return keptBy(holds);
    const pause = describePause(status.parked, ledger.now());
    if (credits === 0 || asked.holdsOnly) return { clear: true, ...(pause && { pause }) };
    const priced = call && { call };
    // A price that was learned is the same for all workers, and another one is to be said.
    const dearer = ({ credits }: OverCeiling) => (call && credits > call.credits ? `-${credits}` : '');
    const obstacle = await ledger.obstacle({ credits: asked.credits, ...priced });
    if (obstacle.kind === 'held') return keptBy(obstacle.holds);
    if (obstacle.kind === 'unwritten') return { clear: false, why: obstacle.why, what: 'booksTrouble' };
    // A balance that a new ledger has not read yet is not what is in the way.
    if (obstacle.kind === 'capped' && obstacle.balance === 'unread' && status.patientUntil !== undefined)
      return { clear: false, why: describePatience(status.patientUntil, status.isComparing), what: 'patience' };
    const until = (over: OverCeiling) => over.until !== undefined && { until: over.until };
    if (obstacle.kind === 'capped')
      return {
        clear: false,
        why: describeShortage(obstacle, obstacle.figures ?? status),
        what: obstacle.cap + dearer(obstacle),
        short: true,
        ...until(obstacle),
      };
    const over = await ledger.overCeiling({ credits: obstacle.credits ?? asked.credits, ...priced });
    if (over)
      return {
        clear: false,
        why: describeCeiling(over),
        what: `books-${over.cap}${dearer(over)}`,
        short: true,
        ...until(over),
      };
    return { clear: true, ...(pause && { pause }) };
  } catch (error) {
    const what = whatFails(error);
    const why = error instanceof Error ? error.message : 'the ledger cannot be reached';
    return { clear: false, why, ...(what && { what }) };
  }
}

/** The call that is waited for, at its price by this process's configuration; undefined where nobody knows what it is. */
function callOf({ account }: AccountRuntime, { subject }: ClearanceAsked): PricedCall | undefined {
  const route = subject === undefined ? undefined : routeOf(subject);
  return subject !== undefined && route !== undefined ? { subject, credits: account.credits(route) } : undefined;
}

/** Of those that may cost by themselves, and of those that a person calls; others have the price that the run was told. */
function routeOf(subject: string): RouteName | undefined {
  const { kind, of } = partsOf(subject) ?? {};
  if (isPaidKind(kind)) return PAID[kind].route;
  const called = of?.slice(0, of.indexOf('/'));
  return kind === 'call' && called !== undefined && isRoute(called) ? called : undefined;
}
const isRoute = (name: string): name is RouteName => Object.hasOwn(routes, name);

/** S7: who waits for something else hears of it; undefined for what may pass at once. */
function whatFails(error: unknown): string | undefined {
  if (error instanceof StorageError) return 'books';
  return error instanceof ApplicationFailure && error.type === FailureType.ledger ? 'ledger' : undefined;
}

function keptBy(holds: readonly Hold[]): Clearance {
  const [until] = holds.flatMap(({ kind, retry }) => (kind === 'noCredits' ? (retry?.at ?? UNTOLD) : []));
  return {
    clear: false,
    why: holds.map(describeHold).join('; '),
    what: holds.map(({ kind }) => kind).join(),
    // S7: the moment stands in the sentence, and under the same hold it may come, move or go.
    ...(until !== undefined && { until }),
  };
}
