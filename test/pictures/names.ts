/** The pictures that the documents show, by name. */
import { join } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';

export const picturesFolder = (): string => join(packageRoot(), 'docs', 'pictures');

/** States of the tour that are shown. */
export const STATES: readonly string[] = [
  ...['start-here', 'approval', 'which-project', 'ended', 'hold', 'ledger', 'batch', 'audit', 'review'],
];
/** The start form, as the link of a workflow opens it. */
export const FORM = 'start-form';
export const REPORTS = ['report', 'spending'] as const;

export const fileOf = (name: string): string => `${name}.webp`;

/** All files, without their folder. */
export const PICTURES: readonly string[] = [...STATES, FORM, ...REPORTS].map(fileOf);
