/** How the service of a story puts what it shows. */
import { Marks } from '../../../src/sandbox/marks';
import type { Pages } from '../worker/pages';
import type { Random } from '../world/random';

/** What is counted where a service does so. */
export const SHAPES = [
  'other names',
  ...['pages by offsets', 'pages by links', 'pages with an empty one', 'pages that repeat a record'],
] as const;

/** Without totals, pages are told from the whole list by their usual sizes. */
const USUAL_SIZE = 10;

/** What a service may say of a call that failed, with status 200. */
export const ERRORS = [
  { error: 'Temporarily unavailable' },
  { success: false, error: { message: 'Temporarily unavailable' } },
  { success: false, data: null },
];

export const marksOf = (random: Random): Marks => {
  const { descriptions, notes, documents } = Marks.shape;
  const one = <T>({ options }: { options: readonly T[] }) => random.pick(options);
  return { descriptions: one(descriptions.unwrap()), notes: one(notes.unwrap()), documents: one(documents.unwrap()) };
};

/** Under other names and in other envelopes, or in pages of another kind; in most stories as the sandbox does by default. */
export function shapeOf(random: Random): { variant?: 'b'; pages?: Pages } {
  const by = random.pick(['default', 'default', 'default', 'b', 'offsets', 'links', 'links'] as const);
  const [hasEmpty, repeats] = [random.chance(0.4), random.chance(0.4)];
  if (by === 'b') return { variant: by };
  if (by === 'links') return { pages: { by, size: random.between(2, 5), hasEmpty, repeats } };
  return by === 'offsets' ? { pages: { by, size: USUAL_SIZE, hasEmpty: false, repeats: false } } : {};
}
