/** The page of a run as people read it at a terminal. */
import { withRoom } from '../../src/text/details';
import { linkToRun } from '../../src/text/links';
import { block, inline } from '../../src/text/markdown';
import { bullets, md, paragraphs, sentence } from '../../src/text/md';
import { pagesText } from '../../src/text/pages-text';

test.each([
  ['**bold** and *emphasis*', 'bold and emphasis'],
  ['in *More Actions*, *Send an Update*.', 'in More Actions, Send an Update.'],
  ['`decide`, `a*b`, ``c`d``', '`decide`, `a*b`, `c`d`'],
  ['2\\*3 \\[x\\]\\(y\\) \\_z\\_ 4*5*6', '2*3 [x](y) _z_ 4*5*6'],
  ['one\\\ntwo', 'one\ntwo'],
  ['[the run](namespaces/default/workflows/x) goes on', 'the run goes on'],
  ['[a\\]b](x)', 'a]b'],
  ['[a&#93;b](x) &#61;= c&#92;d', 'a]b == c\\d'],
  ['a\n\n\n\nb \u00a0', 'a\n\nb'],
  ['x\n\nSee also: [ledger](y), [all](z)', 'x'],
])('%j', (page, text) => {
  expect(pagesText(page)).toBe(text);
});

/** As names and reasons that others chose. */
const TEXTS = [
  'Acme & Sons *Ltd*',
  '[x](http://evil.example)',
  '**b**',
  'a_b `c` d',
  '<b>x</b>',
  '\\*',
  '# x',
  'a@b.example',
];

test.each(TEXTS)('what the page makes literal is read as it was: %j', (text) => {
  const plain = (markdown: string) => pagesText(markdown).replaceAll('`', '');
  expect(plain(inline(text))).toBe(text.replaceAll('`', ''));
  expect(plain(block(text))).toBe(text.replaceAll('`', ''));
});

test('of a whole page nothing but its markup is lost', () => {
  const page = paragraphs([
    md`**${'Convert leads'}** (account ${'default'})`,
    md`**Waiting since 08:00 UTC**: ${sentence('Answer with the update `approve`: in the Web UI under *More Actions*.')}`,
    bullets(md`To be converted:`, [md`**${'Acme *Ltd*'}**: score 71`, linkToRun('default', 'run-1')]),
  ]);
  expect(pagesText(withRoom(page))).toBe(
    [
      'Convert leads (account default)',
      'Waiting since 08:00 UTC: Answer with the update `approve`: in the Web UI under More Actions.',
      'To be converted:\n\n- Acme *Ltd*: score 71\n- run-1',
    ].join('\n\n'),
  );
});
