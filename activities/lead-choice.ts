/** The leads that a pipeline has chosen. */
import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { NearMisses } from '../src/leads/near-misses';
import type { LeadDecision } from '../src/leads/selection';
import { inAccount } from '../src/storage/account-folder';
import { firstMade } from '../src/storage/first-made';
import type { InlineOrStored } from '../src/storage/inline-or-stored';
import type { Storage } from '../src/storage/storage';

/** What was chosen. */
export interface LeadChoice {
  /** IDs to convert, best first. */
  chosen: string[];
  decisions: InlineOrStored<LeadDecision[]>;
  /** Leads listed, each counted once. */
  leads: number;
  notes: string[];
  /** Leads that meet all rules; absent in what earlier versions chose, as are the others below. */
  eligible?: number;
  /** The first of those to convert, as people are shown them. */
  preview?: LeadDecision[];
  /** What may still be spent, in lines for a person; empty where nobody can tell. */
  left?: string[];
  /** Leads that their scores alone keep out. */
  below?: NearMisses;
}

/** What is read back is what was written. */
const KeptChoice = z.custom<LeadChoice>(
  (choice) =>
    z
      .object({ chosen: z.array(z.string()), decisions: z.looseObject({}), notes: z.array(z.string()) })
      .safeParse(choice).success,
);

const KEPT = 'This run was reset, and keeps to the leads that it chose first. For others, start another run.';

/** What the run chose first, and converts. */
export async function choiceOf(
  storage: Storage,
  { account, ref }: { account?: string; ref: string },
  choose: () => Promise<LeadChoice>,
): Promise<LeadChoice> {
  const place = inAccount(account, `runs/${ref}/choice.json`);
  const { made, isEarlier } = await firstMade(storage, place, KeptChoice, choose, ({ chosen }) => chosen.length > 0);
  return isEarlier && Context.current().info.attempt === 1 ? { ...made, notes: [...made.notes, KEPT] } : made;
}
