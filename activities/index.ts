import { createAccountActivities } from './account';
import type { Deps } from './deps';
import { createLeadListActivities } from './lead-list';
import { createLeadsActivities } from './leads';
import { createProjectsActivities } from './projects';

/** Every activity, for every queue; which queue a call takes is the workflow's choice. */
export const createActivities = (deps: Deps) => ({
  ...createAccountActivities(deps),
  ...createLeadsActivities(deps),
  ...createLeadListActivities(deps),
  ...createProjectsActivities(deps),
});
