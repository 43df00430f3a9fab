/** Fields of every workflow that works on one thing: whom it asks, for how long, and its place in line. */
import { z } from 'zod';
import { Credits, Duration } from './fields';

export const runFields = {
  personDeadline: Duration.prefault('7d').describe(
    'How long a question to a person stays open before the run goes on without an answer. Default 7d.',
  ),
  askPerson: z
    .boolean()
    .default(true)
    .describe('Ask a person where the API cannot tell what happened; otherwise give up. Default true.'),
  priority: z.int().min(1).max(5).default(2).describe("Place in the account's queue, 1 first and 5 last. Default 2."),
};

/** The run against whose budget the credits count as well. */
export const BudgetOf = z
  .strictObject({
    key: z.string().min(1).max(1000).describe('Key of that run in the ledger. Required.'),
    maxCredits: Credits.describe('Most credits that all of that run spends. Required.'),
  })
  .optional();
