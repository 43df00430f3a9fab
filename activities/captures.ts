/** Captures: looked at, waited for, stored, and extracted again. What they hold goes to the storage, not to a history (S4). */
import { asName } from '../src/agent-api/id';
import type { Reply } from '../src/agent-api/routes';
import type { SendOutcome } from '../src/paying/attempt-plan';
import { captureSubject } from '../src/paying/subject';
import { inAccount } from '../src/storage/account-folder';
import { callRoute } from './call';
import { listCaptures } from './capture-list';
import { CapturePoll, type CaptureSeen } from './capture-poll';
import { type Deps, runtimeOf } from './deps';
import type { ListPlace } from './list-pages';
import { slower } from './pace';
import { requeueAfter } from './requeue';
import { ownRun, sendOnce } from './send-once';

/** Items by their type; a type that is no plain word counts as `other`. */
export interface ItemCounts {
  byType: Record<string, number>;
  total: number;
}

/** A capture as it was stored. */
export interface CaptureStored extends CaptureSeen {
  items: ItemCounts;
  /** References. */
  files: { capture: string; items: string };
}

/** One capture of an account. */
export interface OneCapture {
  account: string;
  captureId: string;
}

/** Words in which a capture waits for the service, and one in which it waits for a person. All others are waited out too. */
const AT_WORK = ['pending', 'processing'];
const AT_REVIEW = ['needs_review'];
const SETTLED: readonly string[] = ['processed', 'needs_review', 'failed'];

/** How many times longer the time between two looks becomes at most: at the service's own work, and at a person's. */
const MOST = { service: 12, person: 120 };

export function createCapturesActivities(deps: Deps) {
  const { storage } = deps;
  const polls = new Map<string, CapturePoll>();
  const pollOf = (account: string, statuses: readonly string[]): CapturePoll => {
    const key = `${account} ${statuses}`;
    const list = (status: string, place: ListPlace) => listCaptures(runtimeOf(deps, account), { status }, place);
    const poll = polls.get(key) ?? new CapturePoll(statuses, list);
    polls.set(key, poll);
    return poll;
  };
  const get = async ({ account, captureId }: OneCapture) =>
    (await callRoute(runtimeOf(deps, account), 'captures.get', { id: captureId })).value;

  /** Writes the capture and its items. Repeatable: twice leaves one file each. */
  async function store(
    { account, captureId }: OneCapture,
    { capture, items }: Reply<'captures.get'>,
  ): Promise<CaptureStored> {
    const folder = inAccount(account, `captures/${asName(captureId)}`);
    const put = async (part: string, value: unknown) =>
      (
        await storage.write(`${folder}/${part}.json`, `${JSON.stringify(value, null, 2)}\n`, {
          contentType: 'application/json',
        })
      ).ref;
    return {
      ...seenIn(capture),
      items: countItems(items),
      files: { capture: await put('capture', capture), items: await put('items', items) },
    };
  }

  return {
    /** GET one capture: the look before it is extracted again (S2). */
    async lookAtCapture(which: OneCapture): Promise<CaptureSeen> {
      return seenIn((await get(which)).capture);
    },

    /** GET one capture and its items, and store them. */
    async storeCapture(which: OneCapture): Promise<CaptureStored> {
      return store(which, await get(which));
    },

    /**
     * Returns a capture, stored, once the service has done with it. Retried by Temporal without history events; many
     * that wait are looked at together.
     * @param call.was what it was, where it must have changed: then its own word is waited out
     * @param call.fresh its extraction was just started again: no answer from before will do
     */
    async awaitCapture(call: OneCapture & { was?: CaptureSeen; fresh?: boolean }): Promise<CaptureStored> {
      const { account, captureId, was } = call;
      const runtime = runtimeOf(deps, account);
      const again = slower(runtime, was ? MOST.person : MOST.service);
      const poll = pollOf(account, was ? AT_REVIEW : AT_WORK);
      // Newer than this capture's last look, at least `again` / 1.3 ago: an older list tells nothing new.
      const listed = await poll.seen(captureId, call.fresh ? 0 : 0.7 * again, again);
      if (!listed || isOver(listed, was)) {
        const detail = await get(call);
        if (isOver(seenIn(detail.capture), was)) {
          poll.done(captureId);
          return store(call, detail);
        }
      }
      throw requeueAfter(was ? 'nobody has decided yet' : 'the service still works on it', again);
    },

    /** POST: extraction again; one attempt, under S1 and S2. */
    reprocessOnce({ account, captureId, lookedAt }: OneCapture & { lookedAt: number }): Promise<SendOutcome> {
      return sendOnce(runtimeOf(deps, account), {
        ...ownRun(),
        ...{ lookedAt, route: 'captures.reprocess', subject: captureSubject(captureId) },
        input: { id: captureId },
        read: () => ({}),
      });
    },
  };
}

const seenIn = ({ status, updatedAt }: { status: string; updatedAt?: string | null | undefined }): CaptureSeen => ({
  status: status.trim().toLowerCase(),
  ...(updatedAt && { updatedAt }),
});

/** A word that nobody knows is waited out like `processing`. */
const isOver = (now: CaptureSeen, was: CaptureSeen | undefined): boolean =>
  SETTLED.includes(now.status) && !(was && now.status === was.status && now.updatedAt === was.updatedAt);

function countItems(items: Reply<'captures.get'>['items']): ItemCounts {
  const byType: Record<string, number> = {};
  for (const { itemType } of items) {
    const type = itemType && /^[\w-]{1,60}$/.test(itemType) ? itemType : 'other';
    byType[type] = (byType[type] ?? 0) + 1;
  }
  return { byType, total: items.length };
}
