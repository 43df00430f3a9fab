export { accountLedger } from './account-ledger';
export { convertLead } from './convert-lead';
export { leadPipeline } from './lead-pipeline';
