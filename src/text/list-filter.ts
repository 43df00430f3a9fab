/** Values in filters of Temporal's lists. Imported by workflows. Pure. */

/**
 * A value as a filter takes it: quoted, so that nothing in it ends the quotation. A server (seen on 1.29.1) misreads a backslash,
 * a double quote, a control character, and a single quote at either end: for such a value it finds nothing.
 */
export const quoted = (value: string): string => `'${value.replace(/['\\]/g, '\\$&')}'`;
