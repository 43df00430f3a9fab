/** The kinds of stories. */
import { attackOf } from './attacks';
import { lossOf } from './losses';
import { type Plan, planOf } from './plan';

const KINDS = { usual: planOf, losses: lossOf, attacks: attackOf };
export type Kind = keyof typeof KINDS;

export const planFor = (kind: Kind, seed: number): Plan => KINDS[kind](seed);
