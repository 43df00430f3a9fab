/** Finds a new project by its reference (S2), and keeps which one it is. */
import { sleep } from '@temporalio/workflow';
import type { ListPlace } from '../../activities/list-pages';
import type { ReferencePage } from '../../activities/projects';
import type { LookOutcome } from '../../src/policy/course';
import { MAX_ASKED } from '../../src/policy/reference';
import { control, notShownUntil, patiently, reads } from '../shared/calls';
import { isNotFound } from '../shared/failures';
import { Stop } from '../shared/stop';
import type { At } from './step';

/** Pages of the project list that are read for one look; beyond them a person is asked. */
const MAX_PAGES = 100;

/** A note of the result, and part of the question. */
export const CUT =
  'The list of projects could not be read to its end: set unshown.projectsList to the names of its parameters.';

export class ProjectSearch {
  /** The project, once it is found. */
  projectId: string | undefined;
  /** Projects that were asked and do not carry the reference: it comes with the creation or never, so once is enough. */
  readonly #others = new Set<string>();

  constructor(
    private readonly at: At,
    private readonly reference: string,
    private readonly clientName: string,
  ) {}

  async look(): Promise<LookOutcome> {
    const due: string[] = [];
    const older: string[] = [];
    let next: ListPlace | undefined = { offset: 0 };
    let cut = false;
    for (let pages = 0; next !== undefined; pages++) {
      if (pages === MAX_PAGES) return 'cannotTell';
      const page: ReferencePage = await this.#page(next);
      if (page.found) return this.#found(page.found);
      if (pages === 0 && page.known && (await this.#isThere(page.known))) return this.#found(page.known);
      due.push(...page.due);
      older.push(...page.older);
      next = page.next;
      cut ||= page.cut === true;
    }
    // The newest are likely to be listed first or last, so both ends are asked.
    const ends = due.length <= MAX_ASKED ? due : [...due.slice(0, MAX_ASKED / 2), ...due.slice(-MAX_ASKED / 2)];
    for (const projectId of [...ends, ...older].slice(0, MAX_ASKED)) {
      if (this.#others.has(projectId)) continue;
      if (await this.#carries(projectId, notShownUntil(this.at.facts))) return this.#found(projectId);
      this.#others.add(projectId);
    }
    if (!cut) return due.length <= MAX_ASKED ? 'notFound' : 'cannotTell';
    const { notes } = this.at;
    if (!notes.includes(CUT)) notes.push(CUT);
    return 'cannotTell';
  }

  /** S3: what is paid for shows sooner or later; looks until it must have shown. */
  async shown(look: () => Promise<LookOutcome>): Promise<string> {
    const { settlingMs } = this.at.facts.timing;
    for (let wait = settlingMs / 60; wait <= 2 * settlingMs; wait *= 3) {
      await look();
      if (this.projectId !== undefined) return this.projectId;
      this.at.status.waits(
        `The project is paid for, and not in the list yet; it is looked for again in ${Math.ceil(wait / 1000)} s.`,
      );
      await sleep(wait);
    }
    throw new Stop(
      'unresolved',
      'paidButNotFound',
      'The project was paid for and cannot be found: look in the web app.',
    );
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

  #page(place: ListPlace): Promise<ReferencePage> {
    const { account, facts, status, place: priority } = this.at;
    const { reference, clientName } = this;
    return patiently(status, facts, account, () =>
      reads(account, priority, 'Look for the project').lookForProject({ account, reference, clientName, place }),
    );
  }

  /** A project that was deleted since is not taken: then the list decides. */
  async #isThere(projectId: string): Promise<boolean> {
    try {
      await this.#carries(projectId);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #carries(projectId: string, freshUntil?: number): Promise<boolean> {
    const { account, facts, status, place } = this.at;
    const ask = () =>
      reads(account, place, `Look at project ${projectId}`).carriesReference({
        account,
        projectId,
        reference: this.reference,
      });
    return patiently(status, facts, account, ask, freshUntil);
  }
}
