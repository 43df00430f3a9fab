/** No text from outside makes markup of a page, as the server of the Web UI renders it: by another parser than CommonMark's. */
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { linkToRun } from '../../src/text/links';
import { bullets, code, type Markdown, md, paragraphs, sentence } from '../../src/text/md';
import { faultsIn, filledIn, HOSTILE, randomTexts, WORKFLOW_ID } from './hostile-texts';

let server: OwnServer;
beforeAll(async () => {
  server = await startServer({ ui: true });
});
afterAll(() => server?.stop());

/** What stands in the frame, without the frame. */
async function rendered(source: string): Promise<string> {
  const reply = await fetch(`${server.uiUrl}/render?content=${encodeURIComponent(filledIn(source))}`);
  expect(reply.status).toBe(200);
  const [, main] = /<main>([\s\S]*)<\/main>/.exec(await reply.text()) ?? [];
  return main ?? '';
}

/** The texts in portions that fit into an address. */
const portions = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));

const texts = [...HOSTILE, WORKFLOW_ID, ...randomTexts(600, 11)].filter((text) => text.trim() !== '');

/** As they come onto a page: none of them may change what the others are. */
const placesOf = (text: string): Markdown[] => [
  md`${text}`,
  md`**Account ${text}**: (${text})`,
  sentence(`Paused by ${text}. The update \`resume\` lets it go on.`),
  sentence(text),
  md`${code(text)}${code(text)} ${text}`,
];

test('the server of the Web UI makes no markup of them', async () => {
  const wrong: unknown[] = [];
  for (const some of portions(texts, 6)) {
    const html = await rendered(paragraphs(some.flatMap(placesOf)).source);
    if (faultsIn(html).length > 0) wrong.push([some, faultsIn(html)]);
  }
  expect(wrong).toEqual([]);
});

test('nor in a list, nor of the words of a link', async () => {
  const wrong: unknown[] = [];
  for (const some of portions(texts, 12)) {
    const items = some.flatMap((text) => [md`${text}`, linkToRun('default', 'run-1', text)]);
    const html = await rendered(paragraphs([md`Heading:`, bullets(undefined, items)]).source);
    const tags = faultsIn(html).map((tag) =>
      tag.replace(/<a href="namespaces\/default\/workflows\/run-1"[^>]*>/, '<a>'),
    );
    const expected = `<ul>${'<li></li><li><a></a></li>'.repeat(some.length)}</ul>`;
    if (tags.join('') !== expected) wrong.push([some, tags.join('')]);
  }
  expect(wrong).toEqual([]);
});

test('the check sees what it is to see', async () => {
  const raw = [
    '[a](https://evil.example)',
    '# x',
    '- x',
    '<b>x</b>',
    '![i](x)',
    'https://evil.example',
    '1mailto:a',
    '---\n',
  ];
  for (const text of raw) expect([text, faultsIn(await rendered(text)).length]).not.toEqual([text, 0]);
});
