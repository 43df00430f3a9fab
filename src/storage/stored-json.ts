/** JSON that audit-runner keeps in a storage, where others can reach it: what cannot be read is named, not tried again and again. */
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { isTooDeep } from '../text/json-depth';
import { type Storage, StorageError } from './storage';

const SUM_LENGTH = 16;
const SUM = new RegExp(`,"sum":"([0-9a-f]{${SUM_LENGTH}})"\\}\\s*$`);
const sumOf = (json: string): string => createHash('sha256').update(json).digest('hex').slice(0, SUM_LENGTH);

/** An object as JSON, with a checksum at its end: without it a digit that was changed would be believed. */
export function storedJson(value: object): string {
  const json = JSON.stringify(value).slice(0, -1);
  return `${json},"sum":"${sumOf(json)}"}`;
}

/**
 * Without a checksum, as earlier versions wrote, any JSON is believed.
 * @returns undefined for what is no JSON, not of this shape, not what was written, or nested too deep
 */
export function parseStored<T>(json: string, schema: z.ZodType<T>): T | undefined {
  const sealed = SUM.exec(json);
  const written = sealed ? json.slice(0, sealed.index) : json;
  if (sealed && sumOf(written) !== sealed[1]) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(sealed ? `${written}}` : json);
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
