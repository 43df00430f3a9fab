import { readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { isAlive } from '../system';
import { isListening } from './free-port';

/** What is noted beside a database file about the server that runs on it, or that of a sandbox, which keeps nothing in it. */
const RunningServer = z.object({
  pid: z.number().int().positive(),
  port: z.number().int(),
  uiPort: z.number().int().optional(),
  namespace: z.string(),
  /** The database file, as it was called then: in a copy of the folder the note is not about the copy. */
  file: z.string().optional(),
  /** Of a sandbox's server: where the sandbox's books and results are, a URL. */
  sandboxStorage: z.string().optional(),
});
export type RunningServer = z.infer<typeof RunningServer>;

const noteFile = (persist: string) => `${persist}.server.json`;

/** The server that is noted beside this database file, if it runs. Two on one file would damage it. */
export async function runningServer(persist: string): Promise<RunningServer | undefined> {
  const text = await readFile(noteFile(persist), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { data: note } = RunningServer.safeParse(parseJson(text));
  if (note?.file !== undefined && note.file !== (await fullName(persist))) return undefined;
  return note && isAlive(note.pid) && (await isListening(note.port)) ? note : undefined;
}

export const noteServer = async (persist: string, server: RunningServer): Promise<void> =>
  writeFile(noteFile(persist), JSON.stringify({ ...server, file: await fullName(persist) }));

export const forgetServer = (persist: string): Promise<void> => rm(noteFile(persist), { force: true });

/** The file itself may not be there yet. */
const fullName = async (file: string) => join(await realpath(dirname(file)), basename(file));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
