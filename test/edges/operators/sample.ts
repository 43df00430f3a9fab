/** What `npm test` takes of the sample: a workflow and an act each, and soon done. */
export const FIRST: readonly string[] = [
  'convertLead.in-flight/terminate',
  'auditProject.creating/reset-last',
  'ingestCapture.submitting/terminate',
  'callApi.in-flight/reset-middle',
];

/** The others, in the tier `matrix`. */
export const OTHERS: readonly string[] = [
  'convertLead.in-flight/reset-first',
  'convertLead.in-flight/ledger-reset-each',
  'convertLead.settling/start-again',
  'convertLead.hold/cancel',
  'leadPipeline.converting/reset-each',
  'backfill.running/delete',
  'accountLedger.idle/update-garbage',
  'byHand.convertLead/wrong',
];

/** Spread over workflows, states and acts. */
export const SAMPLE: readonly string[] = [...FIRST, ...OTHERS];
