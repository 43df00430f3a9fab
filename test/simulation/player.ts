/** A process that plays the stories whose seeds it is sent, one after the other: `run.ts` has one for each core. */
import './planted';
import { isPlanted } from './planted';
import { planOf } from './stories/plan';
import { type Played, play } from './stories/story';

/** What it answers to a seed. */
export type Answer = { isPlanted: boolean } & Omit<Played, 'happened' | 'finding'> & {
    happened: [string, number][];
    finding: { rule: string; message: string } | undefined;
  };

process.on('message', async (seed: number) => {
  const { happened, finding, ...played } = await play(planOf(seed));
  const answer: Answer = {
    ...played,
    isPlanted: isPlanted(),
    happened: [...happened],
    finding: finding && { rule: finding.rule, message: finding.message },
  };
  process.send?.(answer);
});
