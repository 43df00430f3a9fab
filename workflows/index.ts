export { accountLedger } from './account-ledger';
export { auditProject } from './audit-project';
export { convertLead } from './convert-lead';
export { leadPipeline } from './lead-pipeline';
