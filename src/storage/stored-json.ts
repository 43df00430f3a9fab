/** JSON that audit-runner keeps in a storage, where others can reach it: what cannot be read is named, not tried again and again. */
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { isTooDeep } from '../text/json-depth';
import { type Storage, StorageError } from './storage';

/** @returns undefined for what is no JSON, not of this shape, or nested too deep */
export function parseStored<T>(json: string, schema: z.ZodType<T>): T | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const parsed = isTooDeep(value) ? undefined : schema.safeParse(value);
  return parsed?.success ? parsed.data : undefined;
}

/** @param where the document, and the line of one that has several */
export const damaged = (where: string): StorageError =>
  new StorageError(
    'damaged',
    `${where} is not what audit-runner has written there`,
    'restore it as it was, or remove it if nothing that it is about is under way',
  );

/** @throws {StorageError} `notFound`, `damaged` */
export async function readStored<T>(storage: Storage, ref: string, schema: z.ZodType<T>): Promise<T> {
  const value = parseStored(await text(await storage.read(ref)), schema);
  if (value === undefined) throw damaged(`The document '${ref}'`);
  return value;
}

/**
 * Asked for in one go: between a look whether it is there and the reading somebody else may remove it.
 * @returns undefined when there is none
 * @throws {StorageError} `damaged`
 */
export async function readIfThere<T>(storage: Storage, ref: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return await readStored(storage, ref, schema);
  } catch (error) {
    if (error instanceof StorageError && error.kind === 'notFound') return undefined;
    throw error;
  }
}
