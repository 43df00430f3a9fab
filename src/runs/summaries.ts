/**
 * What a run is for, in a few words: the summary that lists of runs show, where whoever starts it gives one, and the first line
 * of its page in any case. Imported by workflows. Pure.
 */
import { counted, grouped } from '../text/numbers';

/** By the type of the workflow. Fields are those of its input. */
export const summaries = {
  leadPipeline: ({
    account,
    dryRun,
    maxConversions,
    maxCredits,
  }: {
    account: string;
    dryRun: boolean;
    maxConversions: number;
    maxCredits: number;
  }) =>
    dryRun
      ? `Plan conversions of leads of ${account}`
      : `Convert at most ${counted(maxConversions, 'lead')} of ${account}, up to ${grouped(maxCredits)} credits`,

  convertLead: ({ leadId }: { leadId: string }) => `Convert lead ${leadId}`,

  auditProject: ({ projectId, leadId }: { projectId?: string | undefined; leadId?: string | undefined }) =>
    `Audit ${projectId ? `project ${projectId}` : leadId ? `lead ${leadId}` : 'a new project'}`,

  ingestCapture: ({ captureId, noteFile }: { captureId?: string | undefined; noteFile?: string | undefined }) =>
    `Ingest ${captureId ? `capture ${captureId}` : noteFile ? `the note in ${noteFile}` : 'a note'}`,

  captureSweep: ({ account, dryRun }: { account: string; dryRun: boolean }) =>
    `${dryRun ? 'Look for' : 'Retry'} captures of ${account} that failed or are stuck`,

  backfill: ({
    operation,
    redriveOf,
    dryRun,
  }: {
    operation?: string | undefined;
    redriveOf?: string | undefined;
    dryRun: boolean;
  }) => `${dryRun ? 'Plan a backfill' : 'Backfill'}: ${operation ?? `again what failed in ${redriveOf}`}`,

  callApi: ({ route, id }: { route: string; id?: string | undefined }) =>
    `Call ${route}${id === undefined ? '' : ` ${id}`}`,
};
