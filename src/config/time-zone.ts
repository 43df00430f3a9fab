import { z } from 'zod';

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // An offset such as +01:00 is accepted by Intl, but it knows no summer time.
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** An IANA time zone, for example Europe/Berlin. */
export const timeZone = z
  .string()
  .refine(isTimeZone, 'not a time zone; expected an IANA name, for example Europe/Berlin');
