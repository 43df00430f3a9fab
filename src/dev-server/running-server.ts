import { readFile, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { isAlive } from '../system';
import { isListening } from './free-port';

/** What is noted beside a database file about the server that runs on it. */
const RunningServer = z.object({
  pid: z.number().int().positive(),
  port: z.number().int(),
  uiPort: z.number().int().optional(),
  namespace: z.string(),
});
export type RunningServer = z.infer<typeof RunningServer>;

const noteFile = (persist: string) => `${persist}.server.json`;

/** The server that runs on this database file, if one does. Two on one file would damage it. */
export async function runningServer(persist: string): Promise<RunningServer | undefined> {
  const text = await readFile(noteFile(persist), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { data: note } = RunningServer.safeParse(parseJson(text));
  return note && isAlive(note.pid) && (await isListening(note.port)) ? note : undefined;
}

export const noteServer = (persist: string, server: RunningServer): Promise<void> =>
  writeFile(noteFile(persist), JSON.stringify(server));

export const forgetServer = (persist: string): Promise<void> => rm(noteFile(persist), { force: true });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
