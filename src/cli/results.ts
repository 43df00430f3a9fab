/** Results of runs: for a person, for a program, and as an exit code. */

import { z } from 'zod';
import type * as workflows from '../../workflows';
import { OUTCOME_WORDS, type OutcomeWord } from '../batches/outcomes';
import type { Thresholds } from '../leads/shown-lead';
import { reasonInWords } from '../runs/reason-words';
import type { WorkflowName } from '../runs/workflow-types';
import { openStorage } from '../storage';
import { type InlineOrStored, open } from '../storage/inline-or-stored';
import { counted } from '../text/numbers';
import { EXIT } from './exit';
import { number, tell } from './output';
import { Verdict, verdictTable } from './verdict-table';

const Pipeline = z.looseObject({
  ended: z.string(),
  counts: z.record(z.string(), z.number()),
  leads: z.number(),
  credits: z.number(),
  plan: z.looseObject({ conversions: z.number().optional(), text: z.string() }),
  thresholds: z.custom<Thresholds>((given) => z.record(z.string(), z.number()).safeParse(given).success).optional(),
  decisions: z.union([z.object({ inline: z.array(Verdict) }), z.object({ ref: z.string(), bytes: z.number() })]),
  notes: z.array(z.string()),
});

const Conversion = z.looseObject({
  leadId: z.string(),
  outcome: z.string(),
  reason: z.string().optional(),
  credits: z.number(),
  projectId: z.string().optional(),
});

const names = z.array(z.string());
const Audit = z.looseObject({
  outcome: z.string(),
  reason: z.string().optional(),
  sentence: z.string(),
  projectId: z.string().optional(),
  project: z.string().optional(),
  credits: z.number(),
  documents: z.looseObject({ uploaded: names, found: names, byPerson: names }).optional(),
  results: z.looseObject({ report: z.looseObject({ url: z.string() }), opportunities: z.number() }).optional(),
  notes: names,
});

const Ingestion = z.looseObject({
  captureId: z.string().optional(),
  outcome: z.string(),
  reason: z.string().optional(),
  sentence: z.string(),
  items: z.looseObject({ byType: z.record(z.string(), z.number()), total: z.number() }),
  files: z.looseObject({ capture: z.string(), items: z.string() }).optional(),
  reprocesses: z.number(),
});

const Sweep = z.looseObject({
  ended: z.string(),
  counts: z.record(z.string(), z.number()),
  total: z.number(),
  captures: z.unknown(),
  notes: z.array(z.string()),
});

const Call = z.looseObject({
  route: z.string(),
  outcome: z.string(),
  reason: z.string().optional(),
  sentence: z.string(),
  credits: z.number(),
  ref: z.string().optional(),
});

const Backfill = z.looseObject({
  operation: z.string().default('backfill'),
  ended: z.string(),
  counts: z.record(z.string(), z.number()),
  reasons: z.record(z.string(), z.number()),
  items: z.number(),
  credits: z.number(),
  perMinute: z.number(),
  plan: z.looseObject({ text: z.string() }),
  files: z.looseObject({ folder: z.string() }),
  notes: z.array(z.string()),
});

/** A run's result, with what was kept in storage opened. */
export interface ShownResult {
  json: unknown;
  text: string;
  code: number;
}

/** What each workflow of this version ends with. */
type Results = { [N in WorkflowName]: Plain<Awaited<ReturnType<(typeof workflows)[N]>>> };

/** As JSON has it: an object that may have further fields. */
type Plain<T> = T extends readonly (infer U)[] ? Plain<U>[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;

/** How a result is shown. */
export interface ShowOptions {
  /** Also the leads that were skipped. @default false */
  readonly all?: boolean | undefined;
}

type Show = (result: unknown, storageUrl: string, options: ShowOptions) => Promise<ShownResult>;

/** @param schema what is shown of a result: whatever its workflow ends with has to fit */
const shownAs =
  <N extends WorkflowName, S extends z.ZodType>(
    _type: N,
    schema: Results[N] extends z.input<S> ? S : never,
    show: (result: z.output<S>, storageUrl: string, options: ShowOptions) => ShownResult | Promise<ShownResult>,
  ): Show =>
  async (result, storageUrl, options) => {
    const read = schema.safeParse(result);
    if (read.success) return show(read.data, storageUrl, options);
    // Whether all is done cannot be told either.
    const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.') || 'all of it'))].join(', ');
    const text = `The run has ended with a result that this version cannot read (${fields}); a worker of another version may have made it:\n${JSON.stringify(result, null, 2)}`;
    return { json: result, text, code: EXIT.notAllDone };
  };

const SHOWN: Readonly<Record<WorkflowName, Show>> = {
  leadPipeline: shownAs('leadPipeline', Pipeline, showPipeline),
  convertLead: shownAs('convertLead', Conversion, showConversion),
  auditProject: shownAs('auditProject', Audit, showAudit),
  ingestCapture: shownAs('ingestCapture', Ingestion, showIngestion),
  captureSweep: shownAs('captureSweep', Sweep, showSweep),
  backfill: shownAs('backfill', Backfill, showBackfill),
  callApi: shownAs('callApi', Call, showCall),
};

/** @param storageUrl where the worker keeps long lists */
export const showResult = (
  type: WorkflowName,
  result: unknown,
  storageUrl: string,
  options: ShowOptions = {},
): Promise<ShownResult> => SHOWN[type](result, storageUrl, options);

const UNFINISHED = ['failed', 'unresolved', 'refused'] as const;

async function showPipeline(
  result: z.infer<typeof Pipeline>,
  storageUrl: string,
  { all }: ShowOptions,
): Promise<ShownResult> {
  const { ended, counts, leads, credits, notes, plan, thresholds } = result;
  const verdicts = await opened(result.decisions, storageUrl);
  const clean = (ended === 'done' || ended === 'planned') && UNFINISHED.every((outcome) => !counts[outcome]);
  const sums = Object.entries(counts).map(([outcome, count]) => `${number(count)} ${outcome}`);
  const { conversions = 0 } = plan;
  const lines = [
    ...(verdicts ? [verdictTable(verdicts, { all, thresholds }), ''] : []),
    ended === 'planned'
      ? `planned: ${number(conversions)} to convert, ${number(leads - conversions)} skipped`
      : `${ended}: ${counted(leads, 'lead')}: ${sums.join(', ') || 'none'}; ${counted(credits, 'credit')} spent`,
    ...(ended === 'planned' ? [plan.text] : []),
    ...notes.map((note) => `note: ${note}`),
  ];
  return {
    json: verdicts ? { ...result, decisions: verdicts } : result,
    text: lines.join('\n'),
    code: clean ? EXIT.done : EXIT.notAllDone,
  };
}

async function opened(decisions: InlineOrStored<Verdict[]>, storageUrl: string): Promise<Verdict[] | undefined> {
  const storage = openStorage(storageUrl);
  try {
    return await open(storage, decisions, z.array(Verdict));
  } catch (error) {
    const ref = 'ref' in decisions ? decisions.ref : 'the result';
    tell(
      `The decisions are in the worker's storage as ${ref}, which cannot be read here (${storage.describe()}): ` +
        `${error instanceof Error ? error.message : String(error)} Set STORAGE_URL as the worker has it.`,
    );
    return undefined;
  }
}

/** 'refused: no lead has this ID (http404)'. */
const outcomeText = (outcome: string, reason: string | undefined, what?: string): string =>
  reason === undefined ? outcome : `${outcome}: ${reasonInWords(reason, what)}`;

/** Of items that did not go well, as the result counts them: 'failed: http404'. */
function itemText(why: string): string {
  const at = why.indexOf(': ');
  return at < 0 ? why : outcomeText(why.slice(0, at), why.slice(at + 2));
}

function showCall(result: z.infer<typeof Call>): ShownResult {
  const { route, outcome, reason, sentence, credits, ref } = result;
  const rows = [
    ['route', route],
    ['outcome', outcomeText(outcome, reason)],
    ['credits', number(credits)],
    ['reply', ref ?? '-'],
  ] as const;
  return {
    json: result,
    text: [...rows.map(([name, value]) => `${name.padEnd(8)} ${value}`), '', sentence].join('\n'),
    code: outcome === 'done' ? EXIT.done : EXIT.notAllDone,
  };
}

function showBackfill(result: z.infer<typeof Backfill>): ShownResult {
  const { operation, ended, counts, reasons, items, credits, perMinute, plan, files, notes } = result;
  const sums = Object.entries(counts).filter(([, count]) => count > 0);
  const clean = ['failed', 'waiting', 'quarantined'].every((outcome) => !counts[outcome]);
  const lines = [
    `${ended}: ${operation} for ${counted(items, 'item')}: ${sums.map(([what, n]) => `${number(n)} ${OUTCOME_WORDS[what as OutcomeWord] ?? what}`).join(', ') || 'none'}; ${number(credits)} credits spent`,
    ...(ended === 'planned' ? [plan.text] : [`${counted(perMinute, 'item')} a minute`]),
    ...Object.entries(reasons).map(([why, count]) => `  ${number(count)} ${itemText(why)}`),
    ...notes.map((note) => `note: ${note}`),
    `in the storage: ${files.folder}`,
  ];
  return {
    json: result,
    text: lines.join('\n'),
    code: clean && (ended === 'done' || ended === 'planned') ? EXIT.done : EXIT.notAllDone,
  };
}

function showConversion(result: z.infer<typeof Conversion>): ShownResult {
  const { leadId, outcome, reason, credits, projectId } = result;
  const done = outcome === 'converted' || outcome === 'alreadyConverted';
  const rows = [
    ['lead', leadId],
    ['outcome', outcomeText(outcome, reason, 'lead')],
    ['credits', number(credits)],
    ['project', projectId ?? '-'],
  ] as const;
  return {
    json: result,
    text: rows.map(([name, value]) => `${name.padEnd(8)} ${value}`).join('\n'),
    code: done ? EXIT.done : EXIT.notAllDone,
  };
}

function showAudit(result: z.infer<typeof Audit>): ShownResult {
  const { outcome, reason, sentence, projectId, project, credits, documents, results, notes: said } = result;
  const { uploaded, found, byPerson } = documents ?? { uploaded: [], found: [], byPerson: [] };
  const rows = [
    ['outcome', outcomeText(outcome, reason, 'project')],
    ['project', projectId ? `${projectId} (${project ?? 'unknown'})` : '-'],
    ['credits', number(credits)],
    ['files', `${uploaded.length} uploaded, ${found.length} there before, ${byPerson.length} by a person`],
    ['report', results?.report.url ?? '-'],
  ] as const;
  const lines = rows.map(([name, value]) => `${name.padEnd(8)} ${value}`);
  return {
    json: result,
    text: [...lines, ...(results ? [] : ['', sentence]), ...said.map((note) => `note: ${note}`)].join('\n'),
    code: outcome === 'audited' ? EXIT.done : EXIT.notAllDone,
  };
}

/** 'a 2, b 1', the most first. */
const sumsOf = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([what, count]) => `${what} ${number(count)}`)
    .join(', ') || 'none';

function showIngestion(result: z.infer<typeof Ingestion>): ShownResult {
  const { captureId, outcome, reason, sentence, items, files, reprocesses } = result;
  const rows = [
    ['capture', captureId ?? '-'],
    ['outcome', outcomeText(outcome, reason, 'capture')],
    ['items', sumsOf(items.byType)],
    ['again', number(reprocesses)],
    ['files', files ? `${files.capture}, ${files.items}` : '-'],
  ] as const;
  return {
    json: result,
    text: [...rows.map(([name, value]) => `${name.padEnd(8)} ${value}`), '', sentence].join('\n'),
    code: outcome === 'processed' || outcome === 'accepted' ? EXIT.done : EXIT.notAllDone,
  };
}

function showSweep(result: z.infer<typeof Sweep>): ShownResult {
  const { ended, counts, total, notes } = result;
  return {
    json: result,
    text: [`${ended}: ${counted(total, 'capture')}: ${sumsOf(counts)}`, ...notes.map((note) => `note: ${note}`)].join(
      '\n',
    ),
    code:
      ['stopped', 'failed'].includes(ended) || ['failed', 'refused', 'unknown'].some((one) => counts[one])
        ? EXIT.notAllDone
        : EXIT.done,
  };
}
