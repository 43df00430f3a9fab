/** What `npm test` takes of it: spread over workflows, states and acts, and soon done. */
export const SAMPLE: readonly string[] = [
  'convertLead.in-flight/terminate',
  'convertLead.in-flight/reset-first',
  'convertLead.in-flight/ledger-reset-each',
  'convertLead.settling/start-again',
  'convertLead.hold/cancel',
  'leadPipeline.converting/reset-each',
  'backfill.running/delete',
  'auditProject.creating/reset-last',
  'ingestCapture.submitting/terminate',
  'callApi.in-flight/reset-middle',
  'accountLedger.idle/update-garbage',
  'byHand.convertLead/wrong',
];
