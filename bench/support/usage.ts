/** What the kernel says of a process. */
import { readFileSync } from 'node:fs';

/** The kernel's clock ticks a second, the same on every Linux that Node runs on. */
const TICKS = 100;

/** Resident memory now and at its highest, MiB. */
export function memoryOf(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { now: mib('VmRSS'), highest: mib('VmHWM') };
}

/** Processor time so far, of all its threads, milliseconds. */
export function processorMsOf(pid: number): number {
  // The name in parentheses may hold spaces; utime and stime are the 12th and 13th field behind it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
}
