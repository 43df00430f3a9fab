import { z } from 'zod';
import { ProjectCreate } from '../../agent-api/bodies';
import { type Marks, shownName, shownText } from '../marks';
import type { Settings } from '../options';
import { projectSubject } from '../payments';
import { badRequest, found, ok } from '../refusal';
import { AUDIT_TIER, requireTier } from '../required-tier';
import type { Project } from '../rows';
import type { HandlersOf, Service } from '../service';
import type { Query } from '../wire-names';

type Names = 'list' | 'create' | 'get' | 'update' | 'uploadDocument';

/** The documented constraints; other fields are ignored. */
export const NewProject = z.object(ProjectCreate.shape);
const Fields = z.object({
  clientName: NewProject.shape.clientName.optional(),
  industry: NewProject.shape.industry,
  companySize: NewProject.shape.companySize,
  currency: NewProject.shape.currency,
  status: z.enum(['setup', 'analysis', 'interviews', 'complete', 'archived']).optional(),
});

const PAGE_SIZE = 20;

/** Services that count pages instead of records, or have no pages at all. */
function numbered(all: readonly object[], query: Query, paging: 'page' | 'first'): object {
  const page = paging === 'page' ? query.integer('page', 1, Number.MAX_SAFE_INTEGER, 1) : 1;
  const projects = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return { projects, ...(paging === 'page' && { total: all.length, page, page_size: PAGE_SIZE }) };
}

/** agent-api.md, "Projects", without the audit. */
export function projectHandlers(service: Service): Pick<HandlersOf<'projects'>, `projects.${Names}`> {
  const { store, shapes, clock, settings, seeder, payments, audits, documents, switches } = service;
  return {
    'projects.list': ({ user, query }) => {
      const { limit: usual, max } = shapes.projects;
      const shown = (project: Project) => listed(project, switches.projectsListed, switches.marks);
      const all = store.projects.all(user.id).reverse();
      if (settings.projectsPaging !== 'offset') return ok(numbered(all.map(shown), query, settings.projectsPaging));
      const limit = Math.min(max, query.integer('limit', 1, Number.MAX_SAFE_INTEGER, usual));
      const offset = query.integer('offset', 0, Number.MAX_SAFE_INTEGER, 0);
      const page = all.slice(offset, offset + limit).map(shown);
      return ok(shapes.many('projects', page, { limit, offset, total: all.length }));
    },
    'projects.create': async ({ user, body }) => {
      requireTier(user, AUDIT_TIER);
      const parsed = NewProject.safeParse(body);
      if (!parsed.success) throw badRequest(`Invalid project: ${z.prettifyError(parsed.error)}`);
      await clock.sleep(settings.durations.createProject);
      payments.charge(user, 'projects.create', projectSubject(parsed.data));
      const { clientName, industry = null, companySize = null, description = null, currency = 'USD' } = parsed.data;
      const project = seeder.project(user.id, clientName, { industry, companySize, description, currency });
      audits.projectCreated(project);
      return ok(shownProject(project), shapes.createdProjectStatus);
    },
    'projects.get': ({ user, id }) => {
      const project = found(store.projects.get(user.id, id), 'Project');
      const documents = project.documents.map((one) => ({
        ...{ ...one, fileSize: shapes.fileSize(one.fileSize) },
        fileName: shownName(one.fileName, one.id, switches.marks.documents),
      }));
      const { description, ...detail } = detailOf(project);
      const text = shownText('description', description, switches.marks.descriptions);
      return ok(shapes.one('project', { ...detail, ...text, documents }));
    },
    'projects.update': ({ user, id, body }) => {
      const project = found(store.projects.get(user.id, id), 'Project');
      Object.assign(project, projectChanges(body));
      audits.touch(project, 'Project changed');
      return ok(shapes.one('project', shownProject(project)));
    },
    'projects.uploadDocument': ({ user, id, upload }) => {
      const project = found(store.projects.get(user.id, id), 'Project');
      if (upload === undefined) throw badRequest('A document is missing');
      const { sha256, ...file } = upload;
      documents.saw({ projectId: id, fileName: file.fileName, sha256 });
      return shapes.uploaded(audits.addDocument(project, file));
    },
  };
}

/** agent-api.md, "Errors": the three codes of a project's PATCH. */
function projectChanges(body: unknown): Partial<Project> {
  const given = z.record(z.string(), z.unknown()).catch({}).parse(body);
  const { description } = given;
  if (description !== undefined && typeof description !== 'string')
    throw badRequest('description must be a string', 'INVALID_DESCRIPTION_TYPE');
  if (description !== undefined && description.length > 5000)
    throw badRequest('description is longer than 5,000 characters', 'DESCRIPTION_TOO_LONG');
  const parsed = Fields.safeParse(given);
  if (!parsed.success) throw badRequest(`Invalid project: ${z.prettifyError(parsed.error)}`);
  const changes = Object.entries({ ...parsed.data, description }).filter(([, value]) => value !== undefined);
  if (changes.length === 0) throw badRequest('No recognised field', 'EMPTY_PATCH');
  return Object.fromEntries(changes);
}

export function shownProject(project: Project) {
  const { id, clientName, industry, companySize, description, currency, status, createdAt, updatedAt } = project;
  return { id, clientName, industry, companySize, description, currency, status, createdAt, updatedAt };
}

const SHORT = 20;

/** As the list shows it. */
function listed(project: Project, how: Settings['projectsListed'], marks: Marks): object {
  const { description, clientName, ...rest } = shownProject(project);
  switch (how) {
    case 'whole':
      return { ...rest, clientName, ...shownText('description', description, marks.descriptions) };
    case 'short':
      return {
        ...rest,
        clientName: clientName.replace(/\s+/g, ' ').toUpperCase(),
        description: description && `${description.slice(0, SHORT)}…`,
      };
    case 'null':
      return { ...rest, clientName, description: null };
    case 'none':
      return { ...rest, clientName };
  }
}

const LABELS = {
  setup: ['Setup', 'Add documents to begin'],
  analysis: ['Analysis', 'The audit is being worked on'],
  interviews: ['Interviews', 'Interviews have been analysed'],
  complete: ['Complete', 'Deliverables are ready'],
  archived: ['Archived', 'Nothing happens any more'],
} as const;

/** agent-api.md, "Project detail". */
export function detailOf(project: Project) {
  const { documents, businessAnalysis, hasAnalysis, hasInterviewAnalysis, lastActivity, status } = project;
  const done = project.analyses.some((analysis) => analysis.status === 'complete');
  const steps = [documents.length > 0, hasAnalysis, hasInterviewAnalysis, done];
  return {
    ...shownProject(project),
    documentsCount: documents.length,
    analysisProgress: steps.filter(Boolean).length * 25,
    stakeholdersCount: hasInterviewAnalysis ? 2 : 0,
    hasAnalysis,
    hasInterviewAnalysis,
    hasAuditAnalysis: done,
    hasQuestionnaires: hasInterviewAnalysis,
    hasDeliverables: done,
    statusLabel: LABELS[status][0],
    statusDescription: LABELS[status][1],
    lastActivity,
    documents,
    businessAnalysis,
  };
}
