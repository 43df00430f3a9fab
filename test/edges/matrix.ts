import { createHash } from 'node:crypto';
import type { Guards } from './guards';

/** What a person asked a matrix for. */
export interface Asked {
  /** Only cases of these names, or with names that begin so; commas between them. @default all */
  only?: string;
  /** Only one case in so many, spread over all. @default 1 */
  oneIn?: number;
  /** Only the cases that `npm test` takes. */
  sample: boolean;
  /** Only name the cases. */
  list: boolean;
}

/** What `test/edges/{matrix}/index.ts` exports. */
export interface Matrix {
  /** @returns the exit code: 1 where a case failed that is not expected to */
  run(asked: Asked): Promise<number>;
  /** Guards of the product without which the matrix fails. */
  readonly guards: Guards;
}

/** The cases that were asked for. */
export function chosenOf<C extends { name: string }>(
  cases: readonly C[],
  inSample: readonly string[],
  { only, oneIn = 1, sample }: Asked,
): C[] {
  const wanted = (only ?? '').split(',');
  return cases
    .filter(({ name }) => !sample || inSample.includes(name))
    .filter(({ name }) => wanted.some((prefix) => name.startsWith(prefix)))
    .filter(({ name }) => createHash('sha256').update(name).digest().readUInt32BE() % oneIn === 0);
}

/** Names the cases. @returns the exit code: 2 where there are none */
export function listOf(cases: readonly { name: string }[], { only }: Asked): number {
  for (const { name } of cases) console.log(name);
  if (cases.length === 0) console.error(`no case is called, or begins with, '${only}'`);
  return cases.length === 0 ? 2 : 0;
}
