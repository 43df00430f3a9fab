/** The Temporal server of the `schedules` commands; what goes wrong there becomes a sentence. */
import { closest } from 'fastest-levenshtein';
import { type Connected, connectClient } from '../../temporal/connect';
import { rootMessage } from '../../temporal/grpc-status';
import {
  ownedPipelines,
  readSchedule,
  type StoredSchedule,
  scheduleId,
  UnreadableSchedule,
} from '../../temporal/schedules';
import { EXIT, Exit } from '../exit';
import { type KnownServer, knownServer } from '../server';

export async function withServer<T>(work: (connected: Connected, server: KnownServer) => Promise<T>): Promise<T> {
  const server = await knownServer();
  const connected = await connectClient({ config: server.config });
  try {
    return await work(connected, server);
  } catch (error) {
    throw error instanceof UnreadableSchedule ? new Exit(EXIT.failed, error.message) : error;
  } finally {
    await connected.close();
  }
}

/** What the server said, without its codes. */
export const serverWords = (error: unknown): string => rootMessage(error).replace(/^\d+ [A-Z_]+: /, '');

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
      ? `there is no schedule of a pipeline '${pipeline}', nor of any other: \`audit-runner schedules apply\` makes them`
      : `there is no schedule of a pipeline '${pipeline}'; did you mean '${closest(pipeline, names)}'? There are ${names.join(', ')}.`,
  );
}
