/** What a pipeline decided about its leads, for a person at a terminal. Of a lead it shows what `showNames` allows (S4). */
import { z } from 'zod';
import { reasonText } from '../leads/scoring';
import { shortfall, type Thresholds } from '../leads/shown-lead';
import { reasonInWords } from '../runs/reason-words';
import { counted } from '../text/numbers';
import { number, table } from './output';

export const Verdict = z.looseObject({
  id: z.string(),
  decision: z.string(),
  outcome: z.string(),
  score: z.number().nullable(),
  name: z.string().optional(),
  readiness: z.number().optional(),
  composite: z.number().optional(),
  reasons: z.array(z.string()),
  credits: z.number(),
  projectId: z.string().optional(),
});
export type Verdict = z.infer<typeof Verdict>;

/** Rows of a table for a person; all are in the JSON. Of more than a thousand the table takes seconds to draw. */
const MOST_ROWS = 60;
const MOST_ROWS_OF_ALL = 1_000;

export interface TableOptions {
  /** Also those that were skipped, and all of them. @default false */
  readonly all?: boolean | undefined;
  /** What the scores were compared with; absent in the results of earlier versions. */
  readonly thresholds?: Thresholds | undefined;
}

/** Those to convert, the best first, with why and why not in words; of the others how many there are for each reason. */
export function verdictTable(verdicts: readonly Verdict[], { all = false, thresholds }: TableOptions = {}): string {
  const words = (verdict: Verdict) => (code: string) =>
    (thresholds && shortfall(code, verdict, thresholds)) ?? reasonText(code) ?? reasonInWords(code, 'lead');
  const why = (verdict: Verdict) => verdict.reasons.map(words(verdict)).join('; ');
  const wanted = all ? verdicts : verdicts.filter(({ decision }) => decision === 'convert');
  const rows = wanted.slice(0, all ? MOST_ROWS_OF_ALL : MOST_ROWS).map((verdict) => {
    const { id, name, score, readiness, decision, outcome, credits } = verdict;
    return [id, name, score, readiness, decision, why(verdict), outcome, credits] as const;
  });
  const head = ['lead', 'business', 'score', 'readiness', 'decision', 'why', 'outcome', 'credits'];
  const left = wanted.length - rows.length;
  return [
    ...(rows.length > 0 ? [table(head, rows)] : []),
    ...(left > 0 ? [`… and ${number(left)} more; ${all ? '--json has' : '--all shows'} them`] : []),
    ...meanings(verdicts, all),
  ].join('\n');
}

/** The reasons in words: of those that are not shown, with how many there are. */
function meanings(verdicts: readonly Verdict[], all: boolean): string[] {
  const counts = new Map<string, number>();
  for (const { decision, reasons } of verdicts)
    if (decision !== 'convert') for (const code of reasons) counts.set(code, (counts.get(code) ?? 0) + 1);
  const skipped = verdicts.filter(({ decision }) => decision !== 'convert').length;
  const lines = [...counts]
    .sort(([, one], [, other]) => other - one)
    .flatMap(([code, count]) => {
      const meaning = reasonText(code);
      return meaning === undefined ? [] : [`  ${number(count)} ${code}: ${meaning}`];
    });
  if (skipped === 0) return lines;
  const more = all ? '' : '; --all shows each';
  return [
    `Skipped, ${number(skipped)} of ${counted(verdicts.length, 'lead')}; a lead may have several of these reasons${more}:`,
    ...lines,
  ];
}
