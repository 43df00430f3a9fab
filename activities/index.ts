import { createAccountActivities } from './account';
import { createActsActivities } from './acts';
import { createAnyCallActivities } from './any-call';
import { createAuditsActivities } from './audits';
import { createBackfillActivities } from './backfill';
import { createBooksActivities } from './books';
import { createCaptureSweepActivities } from './capture-sweep';
import { createCapturesActivities } from './captures';
import { createDeliverablesActivities } from './deliverables';
import type { Deps } from './deps';
import { createDocumentsActivities } from './documents';
import { createExamplesActivities } from './examples';
import { createLeadListActivities } from './lead-list';
import { createLeadsActivities } from './leads';
import { createNotesActivities } from './notes';
import { createNoticesActivities } from './notices';
import { createProjectsActivities } from './projects';

/** Every activity, for every queue; which queue a call takes is the workflow's choice. */
export const createActivities = (deps: Deps) => ({
  ...createAccountActivities(deps),
  ...createActsActivities(deps),
  ...createBooksActivities(deps),
  ...createLeadsActivities(deps),
  ...createLeadListActivities(deps),
  ...createExamplesActivities(deps),
  ...createProjectsActivities(deps),
  ...createNoticesActivities(deps),
  ...createDocumentsActivities(deps),
  ...createAuditsActivities(deps),
  ...createDeliverablesActivities(deps),
  ...createCapturesActivities(deps),
  ...createCaptureSweepActivities(deps),
  ...createNotesActivities(deps),
  ...createBackfillActivities(deps),
  ...createAnyCallActivities(deps),
});

export type Activities = ReturnType<typeof createActivities>;
