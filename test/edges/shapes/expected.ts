/**
 * Cases that do not end rightly yet, and why: the beginning of their names, `*` for any part. The run says when one of them
 * does.
 */
export const expected: Readonly<Record<string, string>> = {
  'lead.get/no-status': "a lead without a status is refused by its reason alone, without the reply's keys",
  'lead.get/status-object': "a lead without a status is refused by its reason alone, without the reply's keys",
  'lead.get/status-null': "a lead without a status is refused by its reason alone, without the reply's keys",
  'project.get/no-documents/auditProject':
    'a detail without documents is waited for until the deadline, after the project is paid for',
  'captures.list/null-status-of-one/backfill':
    'a capture without a status is left out of a list by status without a word',
};

/** Why a case is expected to fail; undefined where it is not. */
export function isExpected(name: string): string | undefined {
  const parts = name.split('/');
  const fits = (pattern: string) => pattern.split('/').every((part, i) => part === '*' || part === parts[i]);
  return Object.entries(expected).find(([pattern]) => fits(pattern))?.[1];
}
