import type { Guards } from './guards';

/** What a person asked a matrix for. */
export interface Asked {
  /** Only cases of this name or with names that begin so. @default all */
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
