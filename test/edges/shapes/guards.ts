/** Guards without which the matrix of shapes fails, and how the compiled code reads without them. */
import type { Guards } from '../guards';

export const guards: Guards = {
  filter: {
    about: 'a filter that was asked for is checked on every record that comes back',
    file: 'activities/list-filters.js',
    find: 'const isOther = (id, wanted) => Boolean(id) &&',
    replace: 'const isOther = (id, wanted) => false &&',
  },
  look: {
    about: 'after a lost reply the lead is looked at before it is paid for again',
    file: 'workflows/convert-lead.js',
    find: "return seen.surveyStatus === 'converted';",
    replace: 'return false;',
  },
  mark: {
    about: 'a project whose creation was not answered is known by the mark in its description',
    file: 'src/audits/reference.js',
    find: 'description?.includes(mark(reference)) ?? false',
    replace: 'false',
  },
  credits: {
    about: "a conversion's creditsUsed is read as a bounded whole number",
    file: 'src/agent-api/records.js',
    find: 'return credits > 0 && credits <= credits_1.MOST_CREDITS ? credits : undefined;',
    replace: 'return value ?? undefined;',
  },
};
