import { renderReport } from '../../src/report';
import { block, cell, inline } from '../../src/text/markdown';
import { hostile, WORD } from './hostile';
import { sample } from './sample';

describe('a text in Markdown', () => {
  it.each([
    ['<b>&lt;</b>', '\\<b\\>\\&lt;\\</b\\>'],
    ['*a* _b_ ~~c~~ `d` $e$ {{f}}', '\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\` \\$e\\$ \\{\\{f\\}\\}'],
    ['[a](b) ![c][d] [^1]', '\\[a\\](b) !\\[c\\]\\[d\\] \\[^1\\]'],
    ['a\\b\\', 'a&#92;b&#92;'],
    ['# a', '\\# a'],
    ['> a', '\\> a'],
    ['- a', '\\- a'],
    ['+ a', '\\+ a'],
    ['===', '&#61;=='],
    [':-', '\\:-'],
    ['12. a', '12\\. a'],
    ['1) a', '1\\) a'],
    ['In 2024. Then', 'In 2024. Then'],
    ['a - b + c = d #e', 'a - b + c = d #e'],
  ])('%j is literal', (text, literal) => {
    expect(block(text)).toBe(literal);
    expect(inline(text)).toBe(literal);
    expect(cell(text)).toBe(literal);
  });

  it.each([
    'https://a.example/?b=[c]',
    'www.a.example',
    'a@b.example',
    'mailto:a',
    'a.example/b',
    '//a.example',
    '<http://a.example>',
    '[a](http://a.example)',
  ])('%s is no link, for it stands in code', (address) => {
    expect(inline(`See ${address} *now*`)).toBe(`See \`${address}\` \\*now\\*`);
  });

  it('is not let out of the code by backticks of its own', () => {
    expect(inline('a://`b``c')).toBe('`a://ˋbˋˋc`');
    expect(inline('`a://b\\')).toBe('`ˋa://b\\ `');
  });

  it('keeps paragraphs and line breaks, and never begins a line with a blank', () => {
    expect(block('a\r\nb\n\n\n    c\n\t# d\n')).toBe('a\\\nb\n\nc\\\n\\# d');
    expect(block('a\nb\n\nc', '  ')).toBe('  a\\\n  b\n\n  c');
  });

  it('is one line in a cell, which no pipe ends', () => {
    expect(cell('a | b\n| --- |\r\n\u2028c')).toBe('a \\| b \\| --- \\| c');
    expect(cell('a://b|c\\|')).toBe('`a://b¦c\\¦`');
  });
});

describe('the report as Markdown', () => {
  it('shows all that the page shows', () => {
    const { markdown } = renderReport(sample);
    expect(markdown).toMatch(/^# Audit report: Nordlicht Pumps \\& Valves\n/);
    expect(markdown).toContain('![Opportunity matrix: impact over effort](report.svg)');
    expect(markdown).toContain(
      '| 4 | Plan shifts from the order book | Big swings | 9 | 7 | 5x in two years | 9 months |',
    );
    expect(markdown).toContain(
      '- **Dependencies:** No. 2, One intake form for repair requests\\\n  Access to the order book',
    );
    expect(markdown).toContain('### Dana Holm\n\nOperations\n\nBegin with the intake form');
    expect(markdown).toContain('What we need from you:\\\n1\\. One foreman');
    expect(markdown).not.toContain('gave no');
  });

  it('has the headings, the rows and the picture that it is given, whatever the texts say', () => {
    const report = hostile();
    const { markdown } = renderReport(report);
    const lines = markdown.split('\n');
    const memos = report.deliverables?.stakeholderMemos?.length ?? 0;
    const risks = report.deliverables?.risks?.length ?? 0;
    expect(lines.filter((line) => /^#{1,6} /.test(line))).toHaveLength(1 + 5 + 500 + risks + memos);
    expect(lines.filter((line) => /^\|.*\|$/.test(line))).toHaveLength(502);
    // Cells are divided by the pipes that no backslash stands before.
    for (const row of lines.filter((line) => line.startsWith('|')))
      expect(row.match(/(?<=(?<!\\)(?:\\\\)*)\|/g)).toHaveLength(8);
    const withoutCode = markdown.replace(/(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, 'code');
    expect(withoutCode.match(/(?<!\\)!?\[[^\]\\]*\]\(/g)).toEqual(['![Opportunity matrix: impact over effort](']);
    expect(withoutCode.match(/(?<!\\)<|:\/\/|\w@\w|[^\P{Cc}\n\t]|\p{Cs}/u)).toBeNull();
    expect(markdown.includes(WORD)).toBe(true);
  });

  it('refers to no picture when there is none', () => {
    const report = renderReport({ ...sample, opportunities: [{ id: 'a' }] });
    expect(report.svg).toBeUndefined();
    expect(report.markdown).not.toContain('report.svg');
    expect(report.markdown).toContain(
      'Not placed in the picture, because a score is missing or not from 1 to 10: No. 1.',
    );
  });
});
