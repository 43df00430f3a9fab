import { keyId, nameKey } from '../src/policy/identity';
import { callRoute } from './call';
import { type Deps, runtimeOf } from './deps';

const PAGE = 100;

export interface ProjectPage {
  /** Which secret the names were compared under. */
  keyId: string;
  /** Projects of the page that carry one of the names and were created since. */
  matches: { id: string; createdAt?: string }[];
  /** Offset of the next page; absent when this was the last. */
  next?: number;
}

export function createProjectsActivities(deps: Deps) {
  return {
    /** GET one page of the project list, and of it only the projects that could be meant. */
    async matchProjects(input: {
      account: string;
      offset: number;
      nameKeys: string[];
      since: number;
    }): Promise<ProjectPage> {
      const runtime = runtimeOf(deps, input.account);
      const { projectsList } = runtime.account.unshown;
      const query = projectsList.paging === 'send' ? { limit: PAGE, offset: input.offset } : {};
      const { value: page } = await callRoute(runtime, 'projects.list', { query });
      const secret = runtime.account.token.read();
      const matches = page.items.filter((project) => {
        const key = nameKey(secret, project.clientName);
        const created = Date.parse(project.createdAt ?? '');
        return key !== undefined && input.nameKeys.includes(key) && !(created < input.since);
      });
      const end = (page.offset ?? input.offset) + page.items.length;
      const more =
        page.items.length > 0 &&
        (page.total !== undefined ? end < page.total : page.items.length >= (page.limit ?? PAGE));
      return {
        keyId: keyId(secret),
        matches: matches.map(({ id, createdAt }) => ({ id, ...(createdAt && { createdAt }) })),
        ...(more && { next: end }),
      };
    },
  };
}

export type ProjectsActivities = ReturnType<typeof createProjectsActivities>;
