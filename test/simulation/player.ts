/** A process that plays the stories whose seeds it is sent, one after the other: `run.ts` has one for each core. */
import './planted';
import { isPlanted } from './planted';
import { type Kind, planFor } from './stories/kinds';
import { type Played, play } from './stories/story';

/** What it answers to a seed. */
export type Answer = { isPlanted: boolean } & Omit<Played, 'happened' | 'finding'> & {
    happened: [string, number][];
    finding: { rule: string; message: string } | undefined;
  };

const kind = process.argv.at(-1) as Kind;

/** Real time; a process whose code turns in circles gives no sign any more. */
const SIGN_EVERY_MS = 10_000;
setInterval(() => process.connected && process.send?.('alive'), SIGN_EVERY_MS).unref();

process.on('message', async (seed: number) => {
  const { happened, finding, ...played } = await play(planFor(kind, seed));
  const answer: Answer = {
    ...played,
    isPlanted: isPlanted(),
    happened: [...happened],
    finding: finding && { rule: finding.rule, message: finding.message },
  };
  process.send?.(answer);
});
