/** Commands of this program as people read them, on pages too, so that they can be pasted as they stand. Imported by workflows. */

/** The variable that says how this program is called. In the sandbox of workflows, which sees no environment, it is a global. */
export const COMMAND_VARIABLE = 'AUDIT_RUNNER_COMMAND';

/** Run by `npx`, or out of a package or a clone: then the name alone is on nobody's PATH. */
const USUAL = 'npx audit-runner';

/** One line that can stand between backticks. */
const PRINTABLE = /^[^`\p{C}\p{Z}](?:[^`\p{C}]{0,198}[^`\p{C}\p{Z}])?$/u;

/** @param told what the variable says @param script the path by which Node was started */
export function programOf(told: unknown, script: string | undefined): string {
  if (typeof told === 'string' && PRINTABLE.test(told)) return told;
  const isOnPath = /(?:^|[\\/])audit-runner$/.test(script ?? '') && !script?.includes('node_modules');
  return isOnPath ? 'audit-runner' : USUAL;
}

const inWorkflows: unknown = Reflect.get(globalThis, COMMAND_VARIABLE);

/** How this program is called here. */
export const PROGRAM = programOf(
  inWorkflows ?? globalThis.process?.env[COMMAND_VARIABLE],
  globalThis.process?.argv?.[1],
);

/** What has to stand before the code of workflows for them to call the program as this process does; one line, or nothing. */
export const programForWorkflows = (program = PROGRAM): string =>
  program === USUAL ? '' : `globalThis.${COMMAND_VARIABLE}=${JSON.stringify(program)};`;

/** What no shell takes apart, and no program takes for an option. */
const BARE = /^[\w.@:/+][\w.@:/+-]*$/;
/** What no shell takes apart between quotes, those of Windows included, and what ends no code in Markdown. */
const QUOTABLE = /^[\p{L}\p{M}\p{N} .,@:/+=#()[\]_][\p{L}\p{M}\p{N} .,@:/+=#()[\]_-]*$/u;

/**
 * A value in a command that people paste: an ID or a name that others chose. Of one that a shell might obey only its place is
 * shown.
 */
export function asArgument(value: string, place = '<run>'): string {
  if (BARE.test(value)) return value;
  return QUOTABLE.test(value) ? `'${value}'` : place;
}

/** @param ours words of a command, as they stand @param values what others chose, such as the ID of a run */
export const command = (ours: string, ...values: readonly string[]): string =>
  [PROGRAM, ours, ...values.map((value) => asArgument(value))].join(' ');
