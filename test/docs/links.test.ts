/** Every link and picture of the documents leads somewhere. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';
import { documents, textOf, withoutBlocks } from './documents';

/** As GitHub makes them of headings. */
function anchors(text: string): Set<string> {
  const seen = new Map<string, number>();
  const made = [...withoutBlocks(text).matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  return new Set(made);
}

const linksOf = (text: string): string[] =>
  [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(([, link, picture]) => link ?? picture ?? '');

/** @returns why the link leads nowhere */
function broken(from: string, link: string): string | undefined {
  if (/^https?:\/\//.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? from : normalize(join(dirname(from), path));
  if (!existsSync(join(packageRoot(), file))) return `${from}: ${link}: there is no ${file}`;
  if (anchor !== undefined && !anchors(textOf(file)).has(anchor))
    return `${from}: ${link}: ${file} has no such heading`;
  return undefined;
}

test.each(documents())('the links of %s lead somewhere', (file) => {
  expect(linksOf(textOf(file)).flatMap((link) => broken(file, link) ?? [])).toEqual([]);
});

test('a link to a file or heading that is not there is found', () => {
  expect(broken('README.md', 'docs/nowhere.md')).toContain('there is no docs/nowhere.md');
  expect(broken('docs/glossary.md', 'operators.md#nowhere')).toContain('no such heading');
  expect(broken('docs/glossary.md', '../README.md#see-it-work')).toBeUndefined();
  expect(linksOf('[a](b.md) <img src="c.png">\n```sh\n[no](link)\n```\n')).toEqual(['b.md', 'c.png']);
});

test('each long document has a table of contents with all of its sections, in their order', () => {
  for (const file of ['README.md', 'docs/operators.md', 'docs/administrators.md', 'docs/developers.md']) {
    const text = textOf(file);
    const listed = [...text.matchAll(/^- \[([^\]]+)\]\(#/gm)].map(([, heading]) => heading);
    const sections = [...withoutBlocks(text).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect([file, listed]).toEqual([file, sections]);
  }
});
