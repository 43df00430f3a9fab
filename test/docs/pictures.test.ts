/** The pictures of the documents: each is made by `npm run pictures`, shown by some document, and small. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';
import { PICTURES, picturesFolder } from '../pictures/names';
import { documents, textOf, withoutBlocks } from './documents';

const MOST_KIB = 150;
const IS_PICTURE = /\.(png|jpe?g|gif|webp|avif|svg)$/i;

/** Of all documents, relative to the root. */
const shown = (): string[] =>
  documents().flatMap((file) =>
    [...withoutBlocks(textOf(file)).matchAll(/<img [^>]*?src="([^"]+)"|!\[[^\]]*\]\(([^)\s]+)/g)]
      .map(([, src, link]) => src ?? link ?? '')
      .filter((picture) => !/^https?:/.test(picture))
      .map((picture) => normalize(join(dirname(file), picture))),
  );

const made = PICTURES.map((name) => join('docs', 'pictures', name)).sort();

test('the documents show all pictures that `npm run pictures` makes, and no other', () => {
  expect([...new Set(shown())].sort()).toEqual(made);
});

test('no other picture is in docs/, and each is small', () => {
  const root = join(packageRoot(), 'docs');
  const there = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => IS_PICTURE.test(name));
  expect(there.map((name) => join('docs', name)).sort()).toEqual(made);
  const large = PICTURES.filter((name) => statSync(join(picturesFolder(), name)).size > MOST_KIB * 1_024);
  expect(large).toEqual([]);
});
