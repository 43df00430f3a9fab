/** The list of captures, a page at a time. Its order and its default page are not shown; its largest page is. */
import type { Capture } from '../src/agent-api/records';
import { callRoute } from './call';
import type { AccountRuntime } from './deps';

/** Documented maximum of a page. */
const PAGE = 100;

export interface CaptureList {
  items: Capture[];
  /** Offset of the next page; absent when this was the last. */
  next?: number;
  /** The service's own clock, milliseconds; absent when it sent no `Date`. */
  serverTime?: number;
}

export interface CaptureFilter {
  channel?: string;
  status?: string;
  project?: string | undefined;
}

/** GET one page. */
export async function listCaptures(
  runtime: AccountRuntime,
  filter: CaptureFilter,
  offset: number,
  limit = PAGE,
): Promise<CaptureList> {
  const query = { ...filter, limit, offset };
  const { value: page, serverTime } = await callRoute(runtime, 'captures.list', { query });
  const end = (page.offset ?? offset) + page.items.length;
  const more =
    page.items.length > 0 && (page.total !== undefined ? end < page.total : page.items.length >= (page.limit ?? limit));
  return { items: page.items, ...(more && { next: end }), ...(serverTime !== undefined && { serverTime }) };
}
