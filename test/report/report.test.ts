import { type AuditReport, renderReport } from '../../src/report';
import { clean, clip, html } from '../../src/text/printable';
import { ATTACKS, hostile, WORD } from './hostile';
import { sample } from './sample';

const bare: AuditReport = { project: { id: 'p1' }, opportunities: [], categories: {} };
const one = (fields: object): AuditReport => ({ ...bare, opportunities: [{ id: 'o1', title: 'Form', ...fields }] });
/** What a reader sees of a page's source: without tags, and with one blank for any. */
const words = (source: string) => source.replace(/<style>.*?<\/style>|<[^>]*>/gs, ' ').replace(/\s+/g, ' ');

describe('a text in HTML', () => {
  it('cannot become markup', () => {
    expect(html`<p title="${'"\'<&>'}">${'</p>'}</p>`.source).toBe(
      '<p title="&#34;&#39;&#60;&#38;&#62;">&#60;/p&#62;</p>',
    );
    expect(html`${html`<b>${'<'}</b>`}${undefined}${[html`<i/>`, undefined]}${0}`.source).toBe('<b>&#60;</b><i/>0');
  });

  it('has one kind of line end and no code point that a document may not have', () => {
    expect(clean('a\r\nb\rc\u2028d\u0085e\ff\tg')).toBe('a\nb\nc\nd\ne\nf\tg');
    expect(clean('\0\u0007\u001b\u007f\u009f\ud800x\udc00\ufffe\uffff')).toBe(
      `${'\ufffd'.repeat(6)}x${'\ufffd'.repeat(3)}`,
    );
    expect(clean('👩‍👩‍👧 é א')).toBe('👩‍👩‍👧 é א');
    // What turns the reading around, and what does not show.
    expect(clean('a\u202eb\u2066c\u2069')).toBe('a\ufffdb\ufffdc\ufffd');
    expect(clean('so\u00adft \u200b\ufeffx\u200e')).toBe('soft x');
  });

  it('is cut between characters', () => {
    expect(clip('abc', 3)).toBe('abc');
    expect(clip('abcd', 3)).toBe('ab…');
    expect(clip('😀😀😀', 3)).toBe('😀😀😀');
    expect(clip('😀😀😀😀', 3)).toBe('😀😀…');
  });
});

describe('the page', () => {
  it('holds a policy that lets it load and run nothing, and the same bytes for the same input', () => {
    const { html: source } = renderReport(sample);
    expect(source).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
    );
    expect(source).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(source).not.toMatch(/<(script|link|img|iframe|object|base|form)|url\(|@import/);
    expect(renderReport(sample)).toEqual(renderReport(structuredClone(sample)));
  });

  it('shows all that the service gave', () => {
    const seen = words(renderReport(sample).html);
    for (const text of [
      'Nordlicht Pumps &#38; Valves',
      'Mechanical engineering · 51–200 people',
      'Generated 2 March 2026',
      'Opportunities 10 3 Quick wins · 3 Big swings · 2 Nice to haves · 2 Deprioritize Risks 3 Memos 2',
      'Replacing the stock-keeping system, which most interviews began with, comes last.',
      'Timeline 9 months Can run in parallel No Resources One engineer',
      'Dependencies No. 2, One intake form for repair requests Access to the order book',
      'Risk mitigation Keep the manual way for one month.',
      'One person knows the interfaces She retires in fourteen months.',
      'Dana Holm Operations Begin with the intake form',
      'audit type: operations',
      sample.project.id,
      sample.analysis?.id ?? 'none',
    ])
      expect(seen).toContain(text);
    expect(seen).not.toMatch(/[Gg]ave no|[Nn]ot given|undefined|null|NaN/);
  });

  it('says what is missing, and invents nothing', () => {
    const { html: source, svg } = renderReport(bare);
    const seen = words(source);
    for (const what of [
      'audit analysis',
      'deliverables',
      'executive summary',
      'opportunities',
      'risks',
      'stakeholder memos',
    ])
      expect(seen).toContain(`The service gave no ${what}.`);
    expect(seen).toContain('Client not named');
    expect(seen).toContain('Generated no date given');
    expect(svg).toBeUndefined();
    expect(source).not.toMatch(/undefined|null|NaN/);
  });

  it('names the fields that an opportunity lacks', () => {
    const seen = words(renderReport(one({ roiPotential: ' ', strategy: 'x', dependencies: [] })).html);
    expect(seen).toContain('The service gave no description.');
    expect(seen).toContain('Dependencies None');
    expect(seen).toContain(
      'Not given: roi potential, timeline, can run in parallel, resources, strategy, risk mitigation.',
    );
  });

  it('shows a field of an unexpected type as it stands', () => {
    const seen = words(
      renderReport(one({ roiPotential: 4, resourceRequirements: { staff: 2 }, dependencies: 'A form' })).html,
    );
    expect(seen).toContain('ROI potential 4 ');
    expect(seen).toContain('Resources {&#34;staff&#34;:2}');
    expect(seen).toContain('Dependencies A form');
  });

  it('shows a date that is none as it stands', () => {
    const deliverables = { ...sample.deliverables, generatedAt: 'last week' };
    expect(words(renderReport({ ...sample, deliverables }).html)).toContain('Generated last week');
  });

  it("takes the analysis's summary, and the deliverables' opportunities, where there are no others", () => {
    const { executiveSummary: _, ...deliverables } = sample.deliverables ?? {};
    const seen = words(renderReport({ ...sample, deliverables, opportunities: [] }).html);
    expect(seen).toContain('Not shown: the deliverables have one.');
    expect(seen).toContain('A chatbot on the website');
  });
});

describe('categories', () => {
  const opportunities = ['a', 'b', 'c'].map((id) => ({ id, title: `Title ${id}`, impactScore: 10, effortScore: 1 }));

  it('are the word of the service, whatever the scores say', () => {
    const categories = { deprioritize: ['a'], quick_wins: ['b'] };
    const { markdown } = renderReport({ ...bare, opportunities, categories });
    expect(markdown).toContain('| 1 | Title b | Quick wins | 10 | 1 |');
    expect(markdown).toContain('| 2 | Title a | Deprioritize | 10 | 1 |');
    expect(markdown).toContain('| 3 | Title c | No category given | 10 | 1 |');
  });

  it('that disagree with the list, and counts that do, are told', () => {
    const categories = { quick_wins: ['a', 'b', 'a'], big_swings: ['b', 'gone', 'gone'] };
    const analysis = { status: 'running', opportunityCount: 4, riskCount: 2 };
    const seen = words(
      renderReport({ ...bare, opportunities, categories, analysis, deliverables: { isComplete: false } }).html,
    );
    expect(seen).toContain('The service gives the status of the analysis as “running”.');
    expect(seen).toContain('The service calls its deliverables incomplete.');
    expect(seen).toContain('The analysis counts 4 opportunities; the service listed 3.');
    expect(seen).toContain('The analysis counts 2 risks; the service listed 0.');
    expect(seen).toContain('Opportunities that the service puts in a category but does not list: 1.');
    expect(seen).toContain('Opportunities in more than one category, shown in the first: 1.');
  });
});

describe('hostile data', () => {
  it('is all shown, as text', () => {
    const { html: source, svg = '' } = renderReport(hostile());
    expect((source + svg).match(/<(?:script|img|i>|svg onload|summary>pwned)|[^\P{Cc}\n\t]|\p{Cs}/u)).toBeNull();
    for (const attack of ATTACKS('pwned'))
      for (const line of clean(attack).trim().split('\n'))
        expect({ line, shown: source.includes(html`${line}`.source) }).toEqual({ line, shown: true });
    expect(source.includes(WORD)).toBe(true);
  });

  it('of any depth and width makes an appendix that is bounded and says what it leaves out', () => {
    let deep: unknown = 'the innermost';
    for (let depth = 0; depth < 5000; depth++) deep = { deep };
    const wide = Array.from({ length: 5000 }, (_, index) => `entry ${index}`);
    const synthesis = { deep, wide, long: 'y'.repeat(100_000) };
    const { html: source } = renderReport({ ...bare, analysis: { status: 'complete', synthesis } });
    expect(source.length).toBeLessThan(100_000);
    expect(source.includes('entry 500<')).toBe(true);
    expect(source.match(/Not shown here: \d+ more\./)?.[0]).toBe('Not shown here: 4409 more.');
    expect(source.includes('the innermost')).toBe(false);
  });
});
