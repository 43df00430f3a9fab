import { CATEGORIES, type Category } from '../audits/categories';
import { clip, html, type Markup } from '../text/printable';
import { documentOf } from './document';
import { glyph, lookOf } from './glyph';
import { type Matrix, matrixOf } from './matrix';
import { type Entry, FACTS, type View } from './model';
import { STYLE } from './style';
import { tree } from './synthesis';

/** The report as one page that loads nothing and runs nothing. */
export function page(view: View): Markup {
  const { client, entries, risks, memos, notices, summary, synthesis } = view;
  const body = html`${head(view)}
<main>
${notices.length === 0 ? undefined : html`<aside class="notices" aria-label="About the data"><ul>${notices.map((notice) => html`<li>${notice}</li>`)}</ul></aside>`}
<section id="summary"><h2>Executive summary</h2>${text(summary) ?? missing('executive summary')}</section>
<section id="matrix"><h2>Opportunity matrix</h2>${entries.length === 0 ? missing('opportunities') : board(matrixOf(entries))}${overview(entries)}</section>
<section id="opportunities"><h2>Opportunities in detail</h2>${entries.length === 0 ? missing('opportunities') : groupsOf(entries).map(details)}</section>
<section id="risks"><h2>Risks</h2>${risks.length === 0 ? missing('risks') : risks.map(({ title, description }) => card(title ?? 'No title given', undefined, description, 'description'))}</section>
<section id="memos"><h2>Stakeholder memos</h2>${memos.length === 0 ? missing('stakeholder memos') : memos.map(({ name, role, memo }) => card(name ?? 'No name given', role, memo, 'memo'))}</section>
${synthesis === undefined || synthesis === null ? undefined : html`<section><details class="tree"><summary>Appendix: structured output of the analysis</summary>${tree(synthesis)}</details></section>`}
</main>
<footer>Made from the answers of the audit service. Categories and scores are the service’s own.</footer>`;
  return documentOf(`${clip(client, 120)}: audit report`, STYLE, body);
}

const missing = (what: string) => html`<p class="missing">The service gave no ${what}.</p>`;

/** Paragraphs; line breaks and indentation stay. The direction follows each paragraph's own script. */
const text = (content: string | undefined): Markup | undefined =>
  content === undefined
    ? undefined
    : html`<div class="text">${content.split(/\n\s*\n/).map((paragraph) => html`<p dir="auto">${paragraph}</p>`)}</div>`;

const groupsOf = (entries: readonly Entry[]) =>
  [...CATEGORIES, undefined]
    .map((category) => ({ category, members: entries.filter((entry) => entry.category === category) }))
    .filter(({ members }) => members.length > 0);
type Group = ReturnType<typeof groupsOf>[number];

function head({ client, about, projectId, analysisId, generatedAt, entries, risks, memos }: View): Markup {
  const facts = [
    ['Generated', generatedAt ?? 'no date given'],
    ['Project', projectId],
    ['Analysis', analysisId ?? 'no ID given'],
  ] as const;
  const byCategory = groupsOf(entries).map(({ category, members }) => `${members.length} ${lookOf(category).label}`);
  const pair = ([name, value]: readonly [string, string | number]) =>
    html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`;
  return html`<header>
<p class="eyebrow">Audit report</p>
<h1 dir="auto">${client}</h1>
<p class="about" dir="auto">${about.join(' · ')}</p>
<dl class="meta">${facts.map(pair)}</dl>
<dl class="counts"><div><dt>Opportunities</dt><dd>${entries.length}</dd><dd>${byCategory.join(' · ')}</dd></div>${pair(['Risks', risks.length])}${pair(['Memos', memos.length])}</dl>
<nav aria-label="Contents"><a href="#summary">Summary</a><a href="#matrix">Matrix</a><a href="#opportunities">Opportunities</a><a href="#risks">Risks</a><a href="#memos">Memos</a></nav>
</header>`;
}

function board({ svg, crowded, unplaced }: Matrix): Markup {
  return html`<figure>${svg ?? html`<p class="missing">The service gave no opportunity both scores, so there is no picture.</p>`}
<figcaption>Numbers are those of the table below.</figcaption></figure>
${crowded.length === 0 ? undefined : html`<div class="small">No room in the picture:<ul>${crowded.map(({ impact, effort, numbers }) => html`<li>at impact ${impact}, effort ${effort}: No. ${numbers.join(', ')}</li>`)}</ul></div>`}
${unplaced.length === 0 ? undefined : html`<div class="small" id="not-placed">Not placed, because a score is missing or not from 1 to 10:<ul>${unplaced.map(({ number, title, impact, effort }) => html`<li>No. ${number}, <bdi>${clip(title, 120)}</bdi>: impact ${impact ?? 'not given'}, effort ${effort ?? 'not given'}</li>`)}</ul></div>`}`;
}

const key = ({ number, category }: Entry) => keyOf(category, `${number}`);
const keyOf = (category: Category | undefined, label: string) =>
  html`<svg class="glyph" viewBox="0 0 40 40" aria-hidden="${label === '' ? 'true' : 'false'}">${glyph(category, label, 20, 20, 18)}</svg>`;

function score(value: number | undefined): Markup {
  if (value === undefined) return html`<span class="missing">none</span>`;
  const bar = value >= 1 && value <= 10 ? html`<span class="bar" style="--score:${value}"></span>` : undefined;
  return html`<span class="score"><b>${value}</b>${bar}</span>`;
}

/** What one sees at a glance; whole texts are in the details. */
function overview(entries: readonly Entry[]): Markup | undefined {
  if (entries.length === 0) return undefined;
  const short = (value: string | undefined, max: number) =>
    value === undefined ? html`<span class="missing">not given</span>` : html`${clip(value, max)}`;
  return html`<table><caption>Opportunities by category</caption>
<thead><tr><th scope="col" class="c-key">No.</th><th scope="col">Opportunity</th><th scope="col" class="c-score">Impact</th><th scope="col" class="c-score">Effort</th><th scope="col" class="c-text">ROI potential</th><th scope="col" class="c-text">Timeline</th></tr></thead>
${groupsOf(entries).map(
  ({
    category,
    members,
  }) => html`<tbody><tr><th colspan="4" scope="rowgroup">${lookOf(category).label} (${members.length})</th><td colspan="2" class="c-text"></td></tr>
${members.map(
  (
    entry,
  ) => html`<tr><td>${key(entry)}</td><th scope="row" dir="auto"><a href="#o-${entry.number}">${clip(entry.title, 200)}</a></th><td>${score(entry.impact)}</td><td>${score(entry.effort)}</td><td class="c-text" dir="auto">${short(entry.roi, 100)}</td><td class="c-text" dir="auto">${short(entry.timeline, 100)}</td></tr>
`,
)}</tbody>`,
)}</table>`;
}

const details = ({ category, members }: Group) =>
  html`<h3>${keyOf(category, '')}${lookOf(category).label}</h3>${members.map(detail)}`;

function detail(entry: Entry): Markup {
  const facts = FACTS.map(({ label, of }) => ({ label, value: of(entry) }));
  const absent = facts.filter(({ value }) => value === undefined).map(({ label }) => label.toLowerCase());
  const shown = facts.flatMap(({ label, value }) =>
    value === undefined ? [] : [html`<div><dt>${label}</dt><dd>${text(value)}</dd></div>`],
  );
  return html`<article class="card" id="o-${entry.number}"><header>${key(entry)}<h4 dir="auto">${entry.title}</h4>
<div class="scores"><span><span class="label">Impact</span> ${score(entry.impact)}</span><span><span class="label">Effort</span> ${score(entry.effort)}</span></div></header>
${text(entry.description) ?? missing('description')}
${shown.length === 0 ? undefined : html`<dl class="facts">${shown}</dl>`}
${absent.length === 0 ? undefined : html`<p class="missing">Not given: ${absent.join(', ')}.</p>`}</article>
`;
}

const card = (title: string, role: string | undefined, content: string | undefined, what: string) =>
  html`<article class="card memo"><h4 dir="auto">${title}</h4>${role === undefined ? undefined : html`<p class="label" dir="auto">${role}</p>`}${text(content) ?? missing(what)}</article>
`;
