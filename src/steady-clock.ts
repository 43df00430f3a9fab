/**
 * A clock of this process that nobody sets and that goes on while the machine is suspended. `performance.now()` stands still
 * meanwhile: what was granted before would seem to be of now (S1).
 */
import os from 'node:os';
import { performance } from 'node:perf_hooks';

/** The system's uptime goes on, in steps of 10 ms on some systems and of a second on others. */
const STEP_MS = 2_000;

const uptimeAhead = (): number => os.uptime() * 1_000 - performance.now();
const atFirst = uptimeAhead();

/** Milliseconds since some moment of this process's beginning. */
export function steadyNow(): number {
  const suspendedMs = uptimeAhead() - atFirst;
  return performance.now() + (suspendedMs > STEP_MS ? suspendedMs : 0);
}
