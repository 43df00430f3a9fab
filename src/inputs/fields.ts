/**
 * Fields that several inputs share. `allowed` in a field's metadata is what a problem's sentence says of it (a noun
 * phrase); `describe` is its meaning, unit and default, for forms and documentation.
 *
 * Hazard: zod's own formats with one pattern for all their schemas (`z.guid`, `z.uuid`, `z.email`, `z.iso.date`…) fail in
 * the workflow sandbox, where zod is shared and frozen (preload.ts) and a pattern's `lastIndex` cannot be set. A
 * `regex` of ours is made for each run.
 */
import { z } from 'zod';
import { Id } from '../agent-api/id';
import { isTimeZone } from '../time/day';
import { parseDuration } from '../time/duration';

/** What accounts and pipelines may be called: it becomes part of queue names, workflow IDs and filters of lists. */
export const PLAIN_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** An account's name in the configuration. A token never fits (S4). */
export const Account = z
  .string()
  .regex(PLAIN_NAME)
  .meta({ allowed: "an account's name: lower-case letters, digits and -, at most 40, never a token" })
  .default('default')
  .describe("Name of the account in the configuration whose token is used. Default 'default'.");

/** The account of an input that may be wrong elsewhere; of one that names none that could be, the default. */
export function accountIn(raw: unknown): string {
  const parsed = z.looseObject({ account: Account }).safeParse(raw);
  return parsed.success ? parsed.data.account : Account.parse(undefined);
}

/** The identifier of a record of the Agent API. */
export const RecordId = Id.meta({ allowed: 'an identifier: letters, digits and -_.~:/=+|,;!*()$%&#, at most 128' });

/** What a person calls a thing that must happen once, to tell it from equal ones. */
export const Reference = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  .meta({ allowed: 'a reference: letters, digits, ., - and _, at most 64' });

/** A UUID of any version, in any case. */
export const Uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
  .meta({ allowed: "a UUID such as '3f2b8c1e-5a7d-4e90-8b1c-2d3e4f5a6b7c'" });

const YEAR = 366 * 24 * 3_600_000;

/** A length of time that a person writes as '90s', '15m', '36h', '7d' or 'PT36H'; milliseconds once parsed. */
export const Duration = z
  .string()
  .meta({ allowed: "a duration such as '90s', '15m', '36h', '7d' or 'PT36H', above 0 and at most a year" })
  .transform((text, context) => {
    const ms = parseDuration(text);
    if (ms !== undefined && ms > 0 && ms <= YEAR) return ms;
    context.addIssue({ code: 'custom', message: 'a duration' });
    return z.NEVER;
  });

/** With its zone; this pattern is the schema's own. */
const DateTime = z.iso.datetime({ offset: true });

/** A moment, or a time back from now; milliseconds once parsed. A date means its midnight in UTC. */
export const Since = z
  .string()
  .meta({ allowed: "a date-time with its zone such as '2026-01-31T08:00:00Z', a date, or a duration such as '7d'" })
  .transform((text, context): { at: number } | { agoMs: number } => {
    const agoMs = parseDuration(text);
    if (agoMs !== undefined) return { agoMs };
    const moment = /^[\d-]+$/.test(text) ? `${text}T00:00:00Z` : text;
    if (DateTime.safeParse(moment).success) return { at: Date.parse(moment) };
    context.addIssue({ code: 'custom', message: 'a date-time or a duration' });
    return z.NEVER;
  });

/** An IANA time zone. */
export const TimeZone = z
  .string()
  .refine(isTimeZone, 'not a time zone; expected an IANA name, for example Europe/Berlin')
  .meta({ allowed: "a time zone's name such as 'Europe/Berlin' or 'UTC'" });

/** An amount of credits. */
export const Credits = z.int().min(0);
