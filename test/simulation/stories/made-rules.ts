/** S6: what runs say that their notes and projects became is there, and theirs. */
import type { Run } from '../engine/run';
import { carries } from './answers';
import { Finding } from './payments';
import type { Scene } from './scene';

interface Audit {
  readonly project?: { readonly clientName: string };
  readonly documents?: readonly unknown[];
}

/** @throws Finding */
export function mustBeThere(scene: Scene): void {
  const captures = scene.control.captures() as { id: string; rawContent: string }[];
  const projects = scene.control.projects() as { id: string; clientName: string; documents: readonly unknown[] }[];
  const wrong = (run: Run): string | undefined => {
    const { outcome = '', captureId, projectId } = (scene.resultOf(run) ?? {}) as Record<string, string | undefined>;
    if (run.type === 'ingestCapture' && ['processed', 'accepted'].includes(outcome)) {
      const { note } = scene.inputOf(run) as { note?: string };
      const capture = captures.find(({ id }) => id === captureId);
      if (note === undefined || (capture && carries(capture, note))) return undefined;
      return `its note is capture ${captureId}, which has: ${capture?.rawContent}`;
    }
    if (run.type === 'auditProject' && outcome === 'audited') {
      const { project: wanted, documents = [] } = scene.inputOf(run) as Audit;
      const project = projects.find(({ id }) => id === projectId);
      if (!project) return `it has audited project ${projectId}, which is not there`;
      if (wanted && project.clientName !== wanted.clientName)
        return `it has audited project ${projectId} for ${wanted.clientName}, which is for ${project.clientName}`;
      if (project.documents.length < documents.length)
        return `it has audited project ${projectId}, which has ${project.documents.length} of ${documents.length} documents`;
    }
    return undefined;
  };
  for (const run of [...scene.server.runs.values()].flat()) {
    const why = wrong(run);
    if (why) throw new Finding('S6', `${run.workflowId} says that ${why}`);
  }
}
