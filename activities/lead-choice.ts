/** The leads that a pipeline has chosen. */
import { z } from 'zod';
import type { NearMisses } from '../src/leads/near-misses';
import type { LeadDecision } from '../src/leads/selection';
import { inAccount } from '../src/storage/account-folder';
import type { InlineOrStored } from '../src/storage/inline-or-stored';
import type { Storage } from '../src/storage/storage';
import { readIfThere, storedJson } from '../src/storage/stored-json';

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
  (choice) => z.object({ chosen: z.array(z.string()), decisions: z.looseObject({}) }).safeParse(choice).success,
);

/**
 * What the run chose first, also after a person has reset it to a moment before: of a list that it has worked on since it
 * would choose others, and convert more leads in all than it may.
 * @param of the run that converts what is chosen
 */
export async function choiceOf(
  storage: Storage,
  { account, ref }: { account?: string; ref: string },
  choose: () => Promise<LeadChoice>,
): Promise<LeadChoice> {
  const place = inAccount(account, `runs/${ref}/choice.json`);
  const earlier = await readIfThere(storage, place, KeptChoice);
  if (earlier) return earlier;
  const choice = await choose();
  if (choice.chosen.length > 0) await storage.write(place, storedJson(choice), { contentType: 'application/json' });
  return choice;
}
