/** The list of captures, a page at a time. Its order and its default page are not shown; its largest page is. */
import type { Capture } from '../src/agent-api/records';
import type { AccountRuntime } from './deps';
import { checkFilter } from './list-filters';
import { type ListPlace, readPage } from './list-pages';

/** Documented maximum of a page. */
const PAGE = 100;

export interface CaptureList {
  items: Capture[];
  /** The next page; absent when this was the last that can be had. */
  next?: ListPlace;
  /** The list goes on, or may, and its next page cannot be had: what is not found may be there all the same. */
  cut?: 'more' | 'perhaps';
  /** The settings that would correct it. */
  mend: string;
  /** The service's own clock, milliseconds; absent when it sent no `Date`. */
  serverTime?: number;
}

export interface CaptureFilter {
  channel?: string;
  status?: string;
  project?: string | undefined;
}

/** GET one page. @throws ApplicationFailure when the service does not filter by the project */
export async function listCaptures(
  runtime: AccountRuntime,
  { project, ...filter }: CaptureFilter,
  place: ListPlace,
  limit = PAGE,
): Promise<CaptureList> {
  const { items, following, cut, mend, serverTime } = await readPage(
    runtime,
    'captures.list',
    { filter: { ...filter, project }, limit },
    place,
  );
  if (project !== undefined)
    await checkFilter<Capture>(
      runtime,
      {
        ...{ route: 'captures.list', parameter: 'project', setting: 'undocumented.capturesList.project' },
        ...{ wanted: project, shown: ({ projectId }) => projectId },
      },
      items,
    );
  return {
    ...{ items, mend },
    ...(following && { next: following }),
    ...(cut && { cut }),
    ...(serverTime !== undefined && { serverTime }),
  };
}
