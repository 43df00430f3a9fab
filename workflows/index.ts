export { accountLedger } from './account-ledger';
export { auditProject } from './audit-project';
export { backfill } from './backfill';
export { callApi } from './call-api';
export { captureSweep } from './capture-sweep';
export { convertLead } from './convert-lead';
export { ingestCapture } from './ingest-capture';
export { leadPipeline } from './lead-pipeline';
