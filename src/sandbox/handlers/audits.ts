import { CATEGORIES } from '../../audits/categories';
import { AUDIT_LIMIT_MS, categoryOf } from '../audits';
import { badRequest, found, ok, Refusal } from '../refusal';
import { AUDIT_TIER, requireTier } from '../required-tier';
import type { Analysis, Project, User } from '../rows';
import type { HandlersOf, Service } from '../service';

type Names = 'audit' | 'analysis' | 'auditAsync' | 'opportunities' | 'deliverables';

/** agent-api.md, "Projects": the audit and what comes of it. */
export function auditHandlers(
  service: Service,
): Pick<HandlersOf<'projects'>, `projects.${Names}`> & HandlersOf<'jobs'> {
  const { store, shapes, clock, settings, audits, switches } = service;
  const projectOf = (user: User, id: string) => found(store.projects.get(user.id, id), 'Project');
  const projectToAudit = (user: User, id: string) => {
    requireTier(user, AUDIT_TIER);
    const project = projectOf(user, id);
    if (!switches.aiKey) throw badRequest('The AI provider key is missing or revoked');
    return project;
  };
  return {
    'projects.audit': async ({ user, id }) => {
      const project = projectToAudit(user, id);
      const { analysis, finished } = audits.start(project);
      if (settings.durations.audit > AUDIT_LIMIT_MS) {
        await clock.sleep(AUDIT_LIMIT_MS);
        if (settings.timedOutAudit === 'fails') audits.finish(project, analysis, true);
        throw new Refusal(shapes.auditTimeout, 'The audit analysis took more than 180 seconds');
      }
      await finished;
      if (analysis.status === 'failed') throw new Refusal(500, 'The audit analysis failed');
      return ok(shapes.one('analysis', shownAnalysis(analysis)));
    },
    'projects.auditAsync': ({ user, id }) => {
      const project = projectToAudit(user, id);
      const missing = [
        ...(project.hasAnalysis ? [] : ['document analysis']),
        ...(project.hasInterviewAnalysis ? [] : ['interview analysis']),
      ];
      if (missing.length > 0) throw shapes.missingPrerequisites(missing);
      return shapes.jobStarted(audits.startJob(user, project));
    },
    'projects.analysis': ({ user, id }) => {
      const { analyses } = projectOf(user, id);
      const latest =
        analyses.findLast(({ status }) => status === 'running') ?? completedOf(analyses) ?? analyses.at(-1);
      return ok(shownAnalysis(found(latest, 'Audit analysis')));
    },
    'projects.opportunities': ({ user, id, query }) => {
      const category = query.choice('category', CATEGORIES);
      const all = completedOf(projectOf(user, id).analyses)?.opportunities ?? [];
      const opportunities = all.filter((one) => category === undefined || categoryOf(one) === category);
      return ok({ opportunities });
    },
    'projects.deliverables': ({ user, id }) => {
      const project = projectOf(user, id);
      const analysis = completedOf(project.analyses);
      return analysis === undefined ? shapes.noDeliverables(id) : ok(deliverablesOf(project, analysis));
    },
    'jobs.get': ({ user, id }) => ok(shapes.job(found(store.jobs.get(user.id, id), 'Job'))),
  };
}

const completedOf = (analyses: readonly Analysis[]) => analyses.findLast(({ status }) => status === 'complete');

const summaryOf = ({ opportunities, risks }: Analysis) =>
  `Found ${opportunities.length} opportunities & ${risks.length} risks; margins of <10% can be "doubled".`;

function shownAnalysis(analysis: Analysis) {
  const { id, projectId, status, createdAt, opportunities, risks } = analysis;
  if (status !== 'complete') return { id, projectId, status, createdAt };
  return {
    id,
    projectId,
    status,
    createdAt,
    executiveSummary: summaryOf(analysis),
    opportunityCount: opportunities.length,
    riskCount: risks.length,
    synthesis: { themes: opportunities.map(({ title }) => title) },
  };
}

function deliverablesOf(project: Project, analysis: Analysis) {
  const { opportunities, risks, finishedAt } = analysis;
  const stakeholderMemos = [
    {
      stakeholderName: 'Dana <COO>',
      stakeholderRole: 'Operations',
      memo: `What changes at ${project.clientName} & when.`,
    },
    { stakeholderName: "Sam O'Neil", stakeholderRole: 'Finance', memo: '<script>alert("memo")</script> is only text.' },
  ];
  const executiveSummary = summaryOf(analysis);
  const generatedAt = finishedAt;
  const data = { projectId: project.id, isComplete: true, executiveSummary, opportunities, risks, stakeholderMemos };
  return { success: true, data: { ...data, generatedAt } };
}
