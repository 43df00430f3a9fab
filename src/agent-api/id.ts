/** By itself, so that workflows can check an identifier without the table of routes. */
import { z } from 'zod';

/** Identifiers are UUIDs by the document; a run is not stopped over an implementation's other kind of identifier. */
export const Id = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, 'an identifier: letters, digits, - and _, at most 128');
