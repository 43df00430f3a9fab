/** What is read of single pipelines and batches, within bounds. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { Storage } from '../../storage';
import { searchAttributeKeys } from '../../temporal/search-attribute-keys';
import { endedIn } from './visibility';

/** The newest runs that are listed, and of those the ones whose result is read. */
export const MOST_RUNS = 500;
export const MOST_RESULTS = 150;
/** Lines of decisions and of item ledgers that are read from the storage. */
const MOST_LINES = 300_000;

/** What is read of the storage, over all runs. */
export interface Reading {
  readonly storage: Storage;
  lines: number;
  /** What a reader should know, one sentence each. */
  readonly notes: Set<string>;
}
export const startReading = (storage: Storage): Reading => ({ storage, lines: 0, notes: new Set() });

export const inPeriod = ([since, until]: readonly [number, number]) =>
  `((${endedIn(since, until)}) OR ExecutionStatus = 'Running')`;

export const spentBy = ({ typedSearchAttributes }: WorkflowExecutionInfo): number =>
  typedSearchAttributes.get(searchAttributeKeys.creditsSpent) ?? 0;

/** Lines of a document, up to the bound over all; what cannot be read is said and left out. */
export async function* linesOf<T>(reading: Reading, open: () => AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const line of open()) {
      if (++reading.lines > MOST_LINES) {
        reading.notes.add(
          `Lists of leads and items were read up to ${MOST_LINES} lines; what is behind them is not in the figures.`,
        );
        return;
      }
      yield line;
    }
  } catch {
    reading.notes.add('Some lists of leads or items could not be read here; set STORAGE_URL as the worker has it.');
  }
}
