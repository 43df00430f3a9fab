/** The matrix of shapes: what the document leaves open, in every form that a service may choose. */
import type { Guards } from '../guards';
import type { Asked } from '../matrix';

export const guards: Guards = {};

export async function run(_: Asked): Promise<number> {
  return 0;
}
