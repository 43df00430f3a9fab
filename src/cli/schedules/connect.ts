/** The Temporal server of the `schedules` commands; what goes wrong there becomes a sentence. */
import { closest } from 'fastest-levenshtein';
import type { Connected } from '../../temporal/connect';
import {
  ownedPipelines,
  readSchedule,
  type StoredSchedule,
  scheduleId,
  UnreadableSchedule,
} from '../../temporal/schedules';
import { PROGRAM } from '../../text/command';
import { EXIT, Exit } from '../exit';
import { withServer as onServer, type Reached } from '../server';

/** As {@link onServer}, for schedules. */
export const withServer = <T>(use: 'reads' | 'writes', work: (reached: Reached) => Promise<T>): Promise<T> =>
  onServer(use, (reached) =>
    work(reached).catch((error: unknown) => {
      throw error instanceof UnreadableSchedule ? new Exit(EXIT.failed, error.message) : error;
    }),
  );

/** The pipeline's schedule. @throws Exit when there is none of ours */
export async function ownSchedule({ client }: Connected, pipeline: string): Promise<StoredSchedule> {
  const stored = await readSchedule(client, pipeline);
  if (stored === 'foreign')
    throw new Exit(
      EXIT.badInput,
      `audit-runner did not make the schedule ${scheduleId(pipeline)}, and leaves it alone`,
    );
  if (stored) return stored;
  const names = await ownedPipelines(client);
  throw new Exit(
    EXIT.badInput,
    names.length === 0
      ? `there is no schedule of a pipeline '${pipeline}', nor of any other: \`${PROGRAM} schedules apply\` makes them`
      : `there is no schedule of a pipeline '${pipeline}'; did you mean '${closest(pipeline, names)}'? There are ${names.join(', ')}.`,
  );
}
