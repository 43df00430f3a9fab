/**
 * What takes the place of data that a worker cannot read: encrypted with a key that no worker has, damaged, or in a form that
 * none of our own messages has. Thrown while a workflow task is made it would stop the run for good; like this it arrives,
 * and is refused where it arrives.
 */

const MARK = 'audit-runner/unreadable';

export interface Unreadable {
  [MARK]: true;
  /** Why, in a sentence. Under this name it is what a failure says whose own words cannot be read. */
  message: string;
}

export const unreadable = (message: string): Unreadable => ({ [MARK]: true, message });

/** @returns why it cannot be read; undefined where it can */
export const whyUnreadable = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && MARK in value ? String(Reflect.get(value, 'message')) : undefined;
