import { createHash } from 'node:crypto';
import { afterCreation, carries, withReference } from '../src/audits/reference';
import type { AuditProjectInput } from '../src/inputs/audit-project';
import type { SendOutcome } from '../src/paying/attempt-plan';
import { projectSubject } from '../src/paying/subject';
import { readIfThere } from '../src/storage/stored-json';
import { keyId, nameKey } from '../src/text/name-keys';
import { CLOCKS_APART_MS } from '../src/time/clocks';
import { callRoute, refusedWith, scheduledAt } from './call';
import { type Deps, runtimeOf } from './deps';
import { notesIn, openRecord } from './kept-record';
import type { ListPlace } from './list-pages';
import { seldom } from './pace';
import {
  listProjects,
  type MarkSeen,
  markSeen,
  nameOf,
  newestOf,
  ProjectRecord,
  recordRef,
  type Sighting,
  sightingIn,
  youngIn,
} from './references';
import { requeueAfter } from './requeue';
import { sendOnce } from './send-once';

export interface ProjectPage {
  /** Which secret the names were compared under. */
  keyId: string;
  /** Projects of the page that carry one of the names and were created since. */
  matches: { id: string; createdAt?: string }[];
  /** The next page; absent when this was the last. */
  next?: ListPlace;
  /** The list may go on, and its next page cannot be had. */
  cut?: boolean;
}

/** What one page of the project list says of a reference, and what was known before. */
export interface ReferencePage extends Sighting {
  /** What the project became in an earlier run, as it was kept. */
  known?: string;
  /** Its creation was sent by some run; `taken`: with success. */
  sent?: true;
  taken?: true;
  /** When the newest project of the page was created. */
  newest?: number;
  /** Those about as young, which are not taken for one that is sent afterwards; absent from a worker of an earlier version. */
  young?: { id: string; at: number }[];
  next?: ListPlace;
  /** The list may go on, and its next page cannot be had. */
  cut?: boolean;
}

/** A new project, as the run's input has it. */
export type NewProject = NonNullable<AuditProjectInput['project']>;

/** What an audit needs of a project beforehand: agent-api.md, "POST …/audit-analysis/async". */
export interface Prerequisites {
  hasAnalysis: boolean;
  hasInterviewAnalysis: boolean;
}

export function createProjectsActivities(deps: Deps) {
  const detailOf = async (account: string, projectId: string) =>
    (await callRoute(runtimeOf(deps, account), 'projects.get', { id: projectId })).value;

  const prerequisites = async ({
    account,
    projectId,
  }: {
    account: string;
    projectId: string;
  }): Promise<Prerequisites> => {
    const { hasAnalysis, hasInterviewAnalysis } = await detailOf(account, projectId);
    return { hasAnalysis: hasAnalysis === true, hasInterviewAnalysis: hasInterviewAnalysis === true };
  };

  return {
    /** GET one page of the project list, and of it only the projects that could be meant. */
    async matchProjects(input: {
      account: string;
      place: ListPlace;
      nameKeys: string[];
      since: number;
    }): Promise<ProjectPage> {
      const runtime = runtimeOf(deps, input.account);
      const { items, next, cut } = await listProjects(runtime, input.place);
      const secret = runtime.account.token.read();
      const matches = items.filter((project) => {
        const key = nameKey(secret, nameOf(project));
        const created = Date.parse(project.createdAt ?? '');
        return key !== undefined && input.nameKeys.includes(key) && !(created < input.since);
      });
      return {
        keyId: keyId(secret),
        matches: matches.map(({ id, createdAt }) => ({ id, ...(createdAt && { createdAt }) })),
        ...(next && { next }),
        ...(cut && { cut }),
      };
    },

    /** The reference of a new project that was given none: the same fields give the same one. No call of the API. */
    async referenceOf({ account, project }: { account: string; project: NewProject }): Promise<string> {
      const { clientName, industry, companySize, description, currency } = project;
      const fields = JSON.stringify([account, clientName, industry, companySize, description, currency]);
      return createHash('sha256').update(fields).digest('hex').slice(0, 16);
    },

    /** GET one page of the project list, and look in it for the reference (S2). The first look is noted in the storage. */
    async lookForProject(call: {
      account: string;
      reference: string;
      clientName: string;
      place: ListPlace;
    }): Promise<ReferencePage> {
      const { account, reference, clientName } = call;
      const { items, next, cut, serverTime } = await listProjects(runtimeOf(deps, account), call.place);
      const since = serverTime ?? scheduledAt() - CLOCKS_APART_MS;
      const record = await openRecord(deps.storage, recordRef(account, reference), ProjectRecord, {
        since,
        clientName,
      });
      const { projectId, sent, taken } = record;
      const newest = newestOf(items);
      return {
        ...sightingIn(items, reference, record),
        ...(projectId && { known: projectId }),
        ...(sent && { sent }),
        ...(taken && { taken }),
        ...(newest !== undefined && { newest, young: youngIn(items) }),
        ...(next && { next }),
        ...(cut && { cut }),
      };
    },

    /** Keeps in the storage which project it is, beyond what the ledger remembers. No call of the API. */
    async keepProject(call: {
      account: string;
      reference: string;
      clientName: string;
      projectId: string;
    }): Promise<void> {
      const { account, reference, clientName, projectId } = call;
      const known = { since: scheduledAt() - CLOCKS_APART_MS, clientName, projectId };
      await openRecord(deps.storage, recordRef(account, reference), ProjectRecord, known);
    },

    /** GET one project: whether there is one of this ID. */
    async isProject({ account, projectId }: { account: string; projectId: string }): Promise<boolean> {
      try {
        await detailOf(account, projectId);
        return true;
      } catch (error) {
        if (refusedWith(error, 400, 404)) return false;
        throw error;
      }
    },

    /** GET one project: whether it carries the reference. */
    async markOf(call: {
      account: string;
      projectId: string;
      reference: string;
      clientName: string;
    }): Promise<MarkSeen> {
      const { account, projectId, reference, clientName } = call;
      const record = await readIfThere(deps.storage, recordRef(account, reference), ProjectRecord);
      return markSeen(runtimeOf(deps, account), projectId, reference, record ?? { since: 0, clientName });
    },

    /**
     * POST a new project with its reference: one attempt, under S1–S3.
     * @param call.before projects that the look before has shown and that could be taken for it
     * @param call.newest when the newest that it has shown was created
     */
    createProjectOnce(call: {
      account: string;
      project: NewProject;
      reference: string;
      before: string[];
      newest?: number;
      lookedAt: number;
      run: string;
      runCap: number;
      again?: boolean;
    }): Promise<SendOutcome> {
      const { account, project, reference, before, newest, ...rest } = call;
      const { clientName, description } = project;
      const known: ProjectRecord = {
        ...{ since: Date.now() - CLOCKS_APART_MS, clientName, before },
        ...(description && { description }),
        ...(newest !== undefined && { newest }),
      };
      const body = { ...project, description: withReference(project.description, reference) };
      return sendOnce(runtimeOf(deps, account), {
        ...rest,
        route: 'projects.create',
        input: { body },
        subject: projectSubject(reference),
        record: notesIn(deps.storage, recordRef(account, reference), ProjectRecord, known, (projectId) => ({
          projectId,
        })),
        read: ({ id }) => ({ ref: id }),
      });
    },

    /**
     * GET the project: what its description is to become now that it is known, if it still carries the reference.
     * @param call.given the description as it was given
     * @param call.keep whether the reference stays
     */
    async descriptionOf(call: {
      account: string;
      projectId: string;
      reference: string;
      given?: string | undefined;
      keep: boolean;
    }): Promise<{ wanted?: string }> {
      const { description } = await detailOf(call.account, call.projectId);
      if (!description || !carries(description, call.reference)) return {};
      const wanted = afterCreation(description, call.reference, { description: call.given, keep: call.keep });
      return wanted === description ? {} : { wanted };
    },

    /** PATCH its description. Repeatable. */
    async setDescription(call: { account: string; projectId: string; description: string }): Promise<void> {
      const { account, projectId, description } = call;
      await callRoute(runtimeOf(deps, account), 'projects.update', { id: projectId, body: { description } });
    },

    /** GET the project: which of the audit's prerequisites it has. */
    prerequisites,

    /**
     * Returns when the project has both. Retried by Temporal without history events, ever more seldom.
     * @param call.since when the wait began
     */
    async awaitPrerequisites(call: { account: string; projectId: string; since: number }): Promise<void> {
      const { hasAnalysis, hasInterviewAnalysis } = await prerequisites(call);
      if (hasAnalysis && hasInterviewAnalysis) return;
      const { pollMs } = runtimeOf(deps, call.account).account.timing;
      throw requeueAfter('the analysis is not there yet', seldom(pollMs, scheduledAt() - call.since));
    },
  };
}
