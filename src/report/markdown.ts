import { block, cell, inline } from '../text/markdown';
import { clip } from '../text/printable';
import { lookOf } from './glyph';
import { matrixOf } from './matrix';
import { type Entry, FACTS, type View } from './model';

/**
 * The report as Markdown. The matrix is a picture beside it, since inline SVG is not shown everywhere; the table says the
 * same without it. The analysis's own structured output is left to the stored JSON.
 * @param picture reference of the SVG, relative to the document
 */
export function markdown(view: View, picture: string): string {
  const { client, about, projectId, analysisId, generatedAt, entries, risks, memos } = view;
  const parts = [
    `# Audit report: ${inline(client)}`,
    about.map(inline).join(' · '),
    list([
      `**Generated:** ${inline(generatedAt ?? 'no date given')}`,
      `**Project:** ${inline(projectId)}`,
      `**Analysis:** ${inline(analysisId ?? 'no ID given')}`,
      `**Opportunities:** ${entries.length}, **risks:** ${risks.length}, **memos:** ${memos.length}`,
    ]),
    list(view.notices.map(inline)),
    '## Executive summary',
    view.summary === undefined ? missing('executive summary') : block(view.summary),
    '## Opportunity matrix',
    ...matrix(entries, picture),
    '## Opportunities in detail',
    ...(entries.length === 0 ? [missing('opportunities')] : entries.map(detail)),
    '## Risks',
    ...(risks.length === 0 ? [missing('risks')] : []),
    ...risks.flatMap(({ title, description }) =>
      section(title ?? 'No title given', undefined, description, 'description'),
    ),
    '## Stakeholder memos',
    ...(memos.length === 0 ? [missing('stakeholder memos')] : []),
    ...memos.flatMap(({ name, role, memo }) => section(name ?? 'No name given', role, memo, 'memo')),
    '---',
    'Made from the answers of the audit service. Categories and scores are the service’s own.',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const missing = (what: string) => `*The service gave no ${what}.*`;
const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n');
const cellOf = (value: string | number | undefined) => (value === undefined ? '–' : cell(clip(`${value}`, 200)));

function matrix(entries: readonly Entry[], picture: string): string[] {
  if (entries.length === 0) return [missing('opportunities')];
  const { svg, unplaced } = matrixOf(entries);
  const rows = entries.map(({ number, title, category, impact, effort, roi, timeline }) =>
    [number, title, lookOf(category).label, impact, effort, roi, timeline].map(cellOf).join(' | '),
  );
  const header = ['No.', 'Opportunity', 'Category', 'Impact', 'Effort', 'ROI potential', 'Timeline'];
  return [
    svg === undefined ? '' : `![Opportunity matrix: impact over effort](${picture})`,
    [header.join(' | '), '--: | --- | --- | --: | --: | --- | ---', ...rows].map((row) => `| ${row} |`).join('\n'),
    unplaced.length === 0
      ? ''
      : `Not placed in the picture, because a score is missing or not from 1 to 10: No. ${unplaced.map(({ number }) => number).join(', ')}.`,
  ];
}

function detail(entry: Entry): string {
  const { number, title, category, impact, effort, description } = entry;
  const facts = FACTS.map(({ label, of }) => ({ label, value: of(entry) }));
  const absent = facts.filter(({ value }) => value === undefined).map(({ label }) => label.toLowerCase());
  return [
    `### ${number}. ${inline(title)}`,
    `${lookOf(category).label} · impact ${impact ?? 'not given'} · effort ${effort ?? 'not given'}`,
    description === undefined ? missing('description') : block(description),
    facts
      .flatMap(({ label, value }) => (value === undefined ? [] : [`- **${label}:** ${block(value, '  ').trimStart()}`]))
      .join('\n'),
    absent.length === 0 ? '' : `*Not given: ${absent.join(', ')}.*`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const section = (title: string, role: string | undefined, content: string | undefined, what: string) => [
  `### ${inline(title)}`,
  role === undefined ? '' : inline(role),
  content === undefined ? missing(what) : block(content),
];
