/** The matrix of shapes: what the document leaves open, in every form that a service may choose. */
import { startServer } from '../../../src/dev-server/server';
import { type Asked, chosenOf, listOf } from '../matrix';
import { type Case, cases, SAMPLE } from './cases';
import { answersTo, judge } from './judge';
import { type Trial, tryAll } from './lane';
import { type Outcome, print } from './table';

export { guards } from './guards';

/** How many cases share a worker, and how many workers there are. */
const SIDE_BY_SIDE = 10;
const LANES = 2;

/** Tries cases; each again with the setting that its error names. Needs TEST_TEMPORAL_ADDRESS. */
export async function tryCases(
  chosen: readonly Case[],
  told: (outcome: Outcome) => void = () => undefined,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const queue: Trial[] = chosen.map((one) => ({ one, settings: {} }));
  const began = new Map<Case, number>();
  const conclude = (outcome: Outcome) => {
    outcomes.push(outcome);
    told(outcome);
  };
  async function lane(): Promise<void> {
    for (;;) {
      const batch = queue.splice(0, SIDE_BY_SIDE);
      if (batch.length === 0) return;
      for (const { one } of batch) if (!began.has(one)) began.set(one, Date.now());
      await tryAll(batch, async ({ one, settings }, tried) => {
        const applied = Object.keys(settings);
        const to = (more: Pick<Outcome, 'end' | 'wrong'>) =>
          conclude({ one, settings: applied, seconds: (Date.now() - (began.get(one) ?? 0)) / 1000, ...more });
        if (tried instanceof Error)
          return to({
            wrong: `cannot be tried${applied.length > 0 ? ` with ${applied.join(', ')}` : ''}: ${tried.message}`,
          });
        const verdict = judge(one, tried.play, tried.sandbox, tried.seen, applied.length > 0);
        switch (verdict.kind) {
          case 'works':
            return to({ end: applied.length > 0 ? 'works after the setting that the error names' : 'works' });
          case 'refuses':
            return to({ end: 'refuses before anything is paid' });
          case 'stops':
            return to({ end: 'books it once, and stops' });
          case 'fails':
            return to({ wrong: `${applied.length > 0 ? `with ${applied.join(', ')}: ` : ''}${verdict.why}` });
          case 'names': {
            const answers = answersTo(verdict.settings, one.form.knows);
            if (applied.length > 0)
              return to({ wrong: `${applied.join(', ')} did not help: ${tried.seen.text.slice(0, 500)}` });
            if (Object.keys(answers).length === 0)
              return to({ wrong: `names another setting than the one that helps: ${verdict.settings.join(', ')}` });
            queue.push({ one, settings: answers });
          }
        }
      });
    }
  }
  await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(chosen.length / SIDE_BY_SIDE)) }, lane));
  return outcomes;
}

export async function run(asked: Asked): Promise<number> {
  const chosen = chosenOf(cases, SAMPLE, asked);
  if (asked.list || chosen.length === 0) return listOf(chosen, asked);
  // As for the tests: timers may not be a second late, for a second is long here.
  const server = await startServer({
    dynamicConfig: ['history.timerProcessorMaxTimeShift="20ms"'],
    log: console.error,
  });
  process.env.TEST_TEMPORAL_ADDRESS = server.address;
  try {
    const begin = Date.now();
    let done = 0;
    const outcomes = await tryCases(chosen, ({ one, wrong, end }) =>
      console.error(`${++done}/${chosen.length} ${wrong ? '✗' : '✓'} ${one.name}: ${wrong ?? end}`),
    );
    return print(outcomes, (Date.now() - begin) / 1000);
  } finally {
    await server.stop();
  }
}
