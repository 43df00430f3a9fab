/** What is paid for once, as the ledger names it. Imported by workflows and activities alike: one spelling, or S1 is void. */

const LEAD = 'lead:';

/** The subject of a lead's conversion. */
export const leadSubject = (leadId: string): string => `${LEAD}${leadId}`;

/** The lead that a subject is about; undefined when it is about something else. */
export const leadOf = (subject: string): string | undefined =>
  subject.startsWith(LEAD) ? subject.slice(LEAD.length) || undefined : undefined;
