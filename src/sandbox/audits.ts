import type { Category } from '../audits/categories';
import type { Clock } from './clock';
import type { Settings } from './options';
import type { Random } from './random';
import { found, Refusal } from './refusal';
import type { Analysis, Document, Job, Opportunity, Project, User } from './rows';
import type { Store } from './store';
import type { Webhooks } from './webhooks';

/** agent-api.md, "Limits": audit analysis duration before timeout. */
export const AUDIT_LIMIT_MS = 180_000;

const THEMES = ['quote approval', 'invoice intake', 'shift planning', 'stock counting', 'claims <triage>'] as const;
const MEANS = ['with a shared form', 'by "rules first"', "in the team's own tool", 'end-to-end & measured'] as const;

/** Its category, by impact and effort. */
export function categoryOf({ impactScore, effortScore }: Opportunity): Category {
  if (impactScore >= 6) return effortScore <= 5 ? 'quick_wins' : 'big_swings';
  return effortScore <= 5 ? 'nice_to_haves' : 'deprioritize';
}

/** The life of an audit: what it needs beforehand, its runs, and what it yields. */
export class Audits {
  private failures = 0;
  private readonly running = new Map<string, { now: number; largest: number }>();

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly store: Store,
    private readonly webhooks: Webhooks,
  ) {}

  /** Fails the analyses that are started next. */
  failNext(times: number): void {
    this.failures += times;
  }

  /** Adds a document; once it is uploaded, the analysis of the documents begins. */
  addDocument(project: Project, file: Pick<Document, 'fileName' | 'fileType' | 'fileSize'>): Document {
    const id = this.random.uuid();
    const storagePath = `projects/${project.id}/${id}`;
    const document: Document = { id, ...file, storagePath, uploadStatus: 'pending', createdAt: this.clock.iso() };
    project.documents.push(document);
    this.touch(project, 'Document added');
    this.clock.after(this.settings.durations.upload, () => {
      document.uploadStatus = 'uploaded';
      this.clock.after(this.settings.durations.documentAnalysis, () => {
        project.hasAnalysis = true;
        this.touch(project, 'Documents analysed');
      });
    });
    return document;
  }

  /** A project has been created: its interviews take place by themselves, if they are set to. */
  projectCreated(project: Project): void {
    const { interviewAnalysis } = this.settings.durations;
    if (interviewAnalysis !== 'control')
      this.clock.after(interviewAnalysis, () => this.completeInterviews(project.userId, project.id));
  }

  completeInterviews(userId: string, projectId: string): void {
    const project = found(this.store.projects.get(userId, projectId), 'Project');
    project.hasInterviewAnalysis = true;
    if (project.status === 'setup') project.status = 'interviews';
    this.touch(project, 'Interviews analysed');
  }

  /**
   * Starts an analysis, also while another one of the project is running; `finished` resolves when it has ended.
   * @throws 403 when the plan allows no more of them.
   */
  start(project: Project): { analysis: Analysis; finished: Promise<void> } {
    if (project.analyses.filter(({ status }) => status !== 'failed').length >= this.settings.analysesPerProject)
      throw new Refusal(403, "The plan's limit of analyses for one project is reached");
    const analysis: Analysis = {
      id: this.random.uuid(),
      projectId: project.id,
      status: 'running',
      createdAt: this.clock.iso(),
      finishedAt: null,
      opportunities: [],
      risks: [],
    };
    project.analyses.push(analysis);
    project.status = 'analysis';
    this.touch(project, 'Audit started');
    this.countRunning(project.id, 1);
    const fails = this.failures > 0;
    if (fails) this.failures--;
    const finished = new Promise<void>((resolve) =>
      this.clock.after(this.settings.durations.audit, () => {
        this.finish(project, analysis, fails);
        resolve();
      }),
    );
    return { analysis, finished };
  }

  startJob(user: User, project: Project): Job {
    const { analysis } = this.start(project);
    const job = {
      id: this.random.uuid(),
      userId: user.id,
      projectId: project.id,
      analysis,
      createdAt: this.clock.iso(),
    };
    return this.store.jobs.add(job);
  }

  /** Ends an analysis; an analysis ends once. */
  finish(project: Project, analysis: Analysis, failed: boolean): void {
    if (analysis.status !== 'running') return;
    this.countRunning(project.id, -1);
    analysis.status = failed ? 'failed' : 'complete';
    analysis.finishedAt = this.clock.iso();
    if (!failed) {
      analysis.opportunities = Array.from({ length: 8 }, (_, index) => this.opportunity(project.id, index));
      analysis.risks = THEMES.slice(0, 3).map((theme) => ({
        id: this.random.uuid(),
        title: `Risk: ${theme}`,
        description: 'Nobody owns it & nobody measures it.',
      }));
      project.status = 'complete';
    }
    this.touch(project, failed ? 'Audit failed' : 'Audit completed');
    const { id: analysisId, projectId, status } = analysis;
    this.webhooks.emit(project.userId, failed ? 'audit.failed' : 'audit.completed', { analysisId, projectId, status });
  }

  /** Largest number of analyses of one project that ran at the same time. */
  runningLargest(): Record<string, number> {
    return Object.fromEntries([...this.running].map(([projectId, { largest }]) => [projectId, largest]));
  }

  touch(project: Project, description: string): void {
    project.updatedAt = this.clock.iso();
    project.lastActivity = { date: project.updatedAt, description };
  }

  private countRunning(projectId: string, change: 1 | -1): void {
    const entry = this.running.get(projectId) ?? { now: 0, largest: 0 };
    const now = entry.now + change;
    this.running.set(projectId, { now, largest: Math.max(now, entry.largest) });
  }

  private opportunity(projectId: string, index: number) {
    const { random } = this;
    const theme = random.pick(THEMES);
    const at = this.clock.iso();
    return {
      id: random.uuid(),
      projectId,
      title: `Automate ${theme} ${random.pick(MEANS)}`,
      description: `Step ${index + 1}: <b>halve</b> the time of ${theme} & keep people in charge.`,
      impactScore: 1 + random.below(10),
      effortScore: 1 + random.below(10),
      roiPotential: `${2 + random.below(5)}x within a year`,
      implementationTimeline: `${1 + random.below(6)} months`,
      resourceRequirements: 'One engineer, one process owner',
      implementationStrategy: 'Pilot with one team, then roll out',
      riskMitigation: 'Keep the manual way for a month',
      parallelExecution: random.chance(0.5),
      dependencies: [],
      createdAt: at,
      updatedAt: at,
    };
  }
}
