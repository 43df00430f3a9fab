/** By itself, so that workflows can check an identifier without the table of routes. */
import { z } from 'zod';
import { TOKEN_FORM } from '../redact';

const UP = '(?:^|/)\\.{1,2}(?:/|$)';
/** However often it was encoded. */
const ENCODED_AT = '%(?:25)*40';
const FORM = new RegExp(`^(?!.*(?:${UP}|${ENCODED_AT}|${TOKEN_FORM}))[\\w~-][\\w.~:/=+|,;!*()$%&#-]{0,127}$`);

/**
 * Identifiers are UUIDs by the document; a run is not stopped over an implementation's other kind of identifier, such as
 * `lead/2026/17`. Not those that a proxy could take for a way up, nor anything that an e-mail address or a name
 * would need, nor what looks like a token (S4).
 */
export const Id = z.string().regex(FORM, 'an identifier: letters, digits and -_.~:/=+|,;!*()$%&#, at most 128');

/** An identifier in a reply: a number is one too, where it is exact. */
export const RecordId = z.union([Id, z.number().refine(Number.isSafeInteger).transform(String)]);

/** An identifier as the name of a document or a folder: different ones have different names. */
export const asName = (id: string): string =>
  idKey(id).replace(/[^A-Za-z0-9_-]/g, (sign) => `~${sign.charCodeAt(0).toString(16)}`);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * What an identifier is compared by and filed under. UUIDs are the same in either case (RFC 9562), and a service may print
 * both; other identifiers are what they are. What goes back to the service is the identifier as it came.
 */
export const idKey = (id: string): string => (UUID.test(id) ? id.toLowerCase() : id);

/** Whether identifiers are those of one record. */
export const isSameId = (one: string, other: string): boolean => idKey(one) === idKey(other);

/** Whether one of them is that of this record. */
export const includesId = (ids: readonly string[], id: string): boolean => ids.some((one) => isSameId(one, id));
