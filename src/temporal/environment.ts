/** Environment variables, `process.env` unless a caller (a test, `doctor`) gives others. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Takes one line for a person; nothing in it is secret (S4). */
export type Log = (line: string) => void;

/** The variables that are set, for APIs that accept no undefined values. */
export const setVariables = (env: Env): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
