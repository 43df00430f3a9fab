/** Finds a new project by its reference (S2), and keeps which one it is. */
import { sleep } from '@temporalio/workflow';
import type { ListPlace } from '../../activities/list-pages';
import type { ReferencePage } from '../../activities/projects';
import type { MarkSeen } from '../../activities/references';
import { includesId } from '../../src/agent-api/id';
import { MAX_ASKED } from '../../src/audits/reference';
import type { LookOutcome } from '../../src/paying/attempt-plan';
import { projectSubject } from '../../src/paying/subject';
import { CLOCK_STEP_MS } from '../../src/time/clocks';
import { utcIn } from '../../src/time/utc';
import { control, notShownUntil, reads, retryUntilAnswered } from '../shared/calls';
import { isNotFound, refusalOf } from '../shared/failures';
import { LIST_CUT } from '../shared/find-project';
import { Stop } from '../shared/stop';
import type { AuditRun } from './audit-run';

/** Pages of the project list that are read for one look; beyond them a person is asked. */
const MAX_PAGES = 100;
/** Projects from before that are remembered by their IDs; of others their age has to tell. */
const MAX_BEFORE = 500;

/** A note of the result, and part of the question. */
export const CUT = `${LIST_CUT}.`;

export class ProjectSearch {
  /** The project, once it is found. */
  projectId: string | undefined;
  /** Projects that may be it, though they do not show whose they are. */
  candidates: readonly string[] = [];
  /** Why the last look cannot tell: the list could not be read to its end, though nothing says that it was ever sent. */
  unread = false;
  /** Projects of the last look that could be taken for it, should it be sent now: by their names, or since they are as young. */
  before: readonly string[] = [];
  /** When the newest project that it has shown was created. */
  newest: number | undefined;
  /** What projects say of the reference when they are asked: it comes with the creation or never, so once is enough. */
  readonly #marks = new Map<string, MarkSeen>();

  constructor(
    private readonly at: AuditRun,
    private readonly reference: string,
    private readonly clientName: string,
  ) {}

  async look(): Promise<LookOutcome> {
    const due: string[] = [];
    const older: string[] = [];
    const strange: string[] = [];
    const young: { id: string; at: number }[] = [];
    this.newest = undefined;
    let next: ListPlace | undefined = { offset: 0 };
    let [cut, sent, taken] = [false, false, false];
    for (let pages = 0; next !== undefined; pages++) {
      if (pages === MAX_PAGES) return 'cannotTell';
      const page: ReferencePage = await this.#page(next);
      if (page.found) return this.#found(page.found);
      if (pages === 0 && page.known && (await this.#isThere(page.known))) return this.#found(page.known);
      due.push(...page.due);
      older.push(...page.older);
      strange.push(...page.strange);
      young.push(...(page.young ?? []));
      if (page.newest !== undefined) this.newest = Math.max(this.newest ?? 0, page.newest);
      next = page.next;
      cut ||= page.cut === true;
      sent ||= page.sent === true;
      taken ||= page.taken === true;
    }
    const newest = young.filter(({ at }) => at >= (this.newest ?? 0) - CLOCK_STEP_MS).map(({ id }) => id);
    this.before = [...new Set([...due, ...older, ...newest])].slice(0, MAX_BEFORE);
    const free = sent ? await this.#unclaimed(due) : due;
    // The newest are likely to be listed first or last, so both ends are asked.
    const ends = free.length <= MAX_ASKED ? free : [...free.slice(0, MAX_ASKED / 2), ...free.slice(-MAX_ASKED / 2)];
    const others = await this.#unclaimed(strange);
    for (const projectId of [...ends, ...others, ...older].slice(0, MAX_ASKED)) {
      const mark = this.#marks.get(projectId) ?? (await this.#mark(projectId, notShownUntil(this.at.facts)));
      this.#marks.set(projectId, mark);
      if (mark === 'ours') return this.#found(projectId);
    }
    if (cut) {
      const { notes } = this.at;
      if (!notes.includes(CUT)) notes.push(CUT);
    }
    // S2: "not found" is for those who could have recognised it. Before anything was sent there is nothing to be found.
    this.unread = cut && !sent;
    this.candidates = sent ? [...free, ...others].filter((id) => this.#marks.get(id) !== 'others') : [];
    const asked = free.length <= MAX_ASKED;
    return cut || taken || !asked || this.candidates.length > 0 ? 'cannotTell' : 'notFound';
  }

  /**
   * S3: what is paid for shows sooner or later; looks until it must have shown. One that does not say whose it is counts as
   * shown where there is no other.
   */
  async shown(look: () => Promise<LookOutcome>): Promise<string> {
    const { settlingMs } = this.at.facts.timing;
    for (let wait = settlingMs / 60; wait <= 2 * settlingMs; wait *= 3) {
      await look();
      if (this.projectId !== undefined) return this.projectId;
      this.at.status.waits(
        `The project is paid for, but cannot be recognised in the list yet; it is looked for again at ${utcIn(wait)}.`,
      );
      await sleep(wait);
    }
    await look();
    return this.projectId ?? this.identified();
  }

  /** Which of the candidates it is, once it is certain that it is there. @throws Stop when nobody can tell */
  async identified(): Promise<string> {
    const { at, reference, candidates } = this;
    const question = 'The project is paid for. Two or more projects could be it, and none of them shows its reference';
    const projectId =
      candidates.length > 1 ? await at.choice.ask(question, candidates, projectSubject(reference)) : candidates[0];
    if (projectId === undefined)
      throw new Stop(
        'unresolved',
        'paidButNotFound',
        'The project was paid for and cannot be found: look in the web app.',
      );
    at.notes.push(
      `Project ${projectId} does not show the reference ${reference}: it was recognised by its name and time.`,
    );
    return projectId;
  }

  /** What a person is to look for, where it cannot tell. */
  question(): string {
    const { candidates, reference } = this;
    return candidates.length === 0
      ? `Look in the web app for a project whose description ends with [audit-runner ${reference}].`
      : `What the service shows of ${candidates.length === 1 ? 'project' : 'projects'} ${candidates.slice(0, 5).join(', ')} does not say whether the reference ${reference} stood in its description. Look in the web app whether this run created it.`;
  }

  /** Whether the ID in the reply is the project's, and not another thing's. What stands in the way of looking disproves nothing (S6). */
  async isOwn(projectId: string): Promise<boolean> {
    try {
      return (await this.#mark(projectId, notShownUntil(this.at.facts))) !== 'others';
    } catch (error) {
      if (isNotFound(error)) return false;
      if (refusalOf(error) === undefined) throw error;
      return true;
    }
  }

  /** Keeps which project it is, for runs to come. */
  keep(projectId: string): Promise<void> {
    const { reference, clientName } = this;
    return control.keepProject({ account: this.at.account, reference, clientName, projectId });
  }

  #found(projectId: string): 'found' {
    this.projectId = projectId;
    return 'found';
  }

  /** Without what other subjects have become. */
  async #unclaimed(ids: string[]): Promise<string[]> {
    if (ids.length === 0) return ids;
    const taken = await control.claimedRefs({ account: this.at.account, but: projectSubject(this.reference) });
    return ids.filter((id) => !includesId(taken, id));
  }

  #page(place: ListPlace): Promise<ReferencePage> {
    const { account, facts, status, place: priority } = this.at;
    const { reference, clientName } = this;
    return retryUntilAnswered(status, facts, account, () =>
      reads(account, priority, 'Look for the project').lookForProject({ account, reference, clientName, place }),
    );
  }

  /** A project that was deleted since is not taken: then the list decides. */
  async #isThere(projectId: string): Promise<boolean> {
    try {
      await this.#mark(projectId);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #mark(projectId: string, freshUntil?: number): Promise<MarkSeen> {
    const { account, facts, status, place } = this.at;
    const { reference, clientName } = this;
    const ask = () =>
      reads(account, place, `Look at project ${projectId}`).markOf({ account, projectId, reference, clientName });
    return retryUntilAnswered(status, facts, account, ask, freshUntil);
  }
}
