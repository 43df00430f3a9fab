/** By itself, so that workflows can check an identifier without the table of routes. */
import { z } from 'zod';

/** Identifiers are UUIDs by the document; a run is not stopped over an implementation's other kind of identifier. */
export const Id = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, 'an identifier: letters, digits, - and _, at most 128');

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * What an identifier is compared by and filed under. UUIDs are the same in either case (RFC 9562), and a service may print
 * both; other identifiers are what they are. What goes back to the service is the identifier as it came.
 */
export const idKey = (id: string): string => (UUID.test(id) ? id.toLowerCase() : id);

/** Whether identifiers are those of one record. */
export const isSameId = (one: string, other: string): boolean => idKey(one) === idKey(other);
