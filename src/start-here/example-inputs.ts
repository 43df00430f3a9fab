/**
 * One example input for each workflow type, as it stands in the start form that the page `startHere` opens. Whoever
 * starts it unchanged changes nothing and spends nothing: it only plans, or names something that is not there. Nothing in
 * it is secret: the example runs keep it readable, also where encryption is on.
 */

/** Stands for an ID that a person puts in. */
const SOME_ID = '00000000-0000-4000-8000-000000000000';

const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  leadPipeline: { dryRun: true, maxConversions: 5 },
  convertLead: { leadId: SOME_ID },
  auditProject: { projectId: SOME_ID, documents: ['documents/interview.pdf'] },
  ingestCapture: { noteFile: 'notes/meeting.txt' },
  captureSweep: { dryRun: true },
  backfill: { operation: 'convertLead', leads: {}, dryRun: true },
  callApi: { route: 'contacts.list', query: { limit: 5 } },
};

/** The example of a type; of one without an entry only the account, as everything else has a default. */
export const exampleInput = (type: string, account: string): Record<string, unknown> => ({
  account,
  ...(Object.hasOwn(EXAMPLES, type) ? EXAMPLES[type] : {}),
});

/** The account that examples name: `default`, or else the first. */
export const exampleAccount = (names: Iterable<string>): string => {
  const [first = 'default', ...rest] = names;
  return rest.includes('default') ? 'default' : first;
};
