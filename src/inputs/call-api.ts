/**
 * The input of the workflow `callApi`: its envelope. Whether a route takes such a call is in `../any-call.ts`, which knows
 * the table of routes; a workflow must not hold it.
 */
import { z } from 'zod';
import { PROGRAM } from '../text/command';
import { Account, Credits, RecordId, Reference } from './fields';
import { runFields } from './run-fields';

/** What `callApi` takes. Durations are milliseconds once parsed. */
export const CallApiInput = z.strictObject({
  account: Account,
  route: z
    .string()
    .min(1)
    .max(100)
    .meta({ allowed: "the name of a route such as 'contacts.create'" })
    .describe(`The route to call; \`${PROGRAM} api\` lists them all. Required.`),
  id: RecordId.optional().describe("The identifier in the route's path. Required where the path has one."),
  query: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('Query parameters by name, for example {"limit": 50}. Default none.'),
  // Any value: whether the route takes it is told without quoting it (S4).
  body: z
    .unknown()
    .optional()
    .describe(
      "The JSON body. It stands in the run's own input, readable for whoever sees the run unless encryption is on, and " +
        'nowhere else in its history. Default: none.',
    ),
  reference: Reference.optional().describe(
    'Tells equal calls apart where a call creates something: the same call under the same reference is made once, ' +
      'however often it is started. Default: none, so that equal calls are one.',
  ),
  maxCredits: Credits.default(2000).describe(
    'Most credits that this run spends, where the configuration says that the route costs any. Default 2000.',
  ),
  ...runFields,
});
/** The input once parsed. */
export type CallApiInput = z.output<typeof CallApiInput>;
/** The input as it is written. */
export type CallApiJson = z.input<typeof CallApiInput>;
