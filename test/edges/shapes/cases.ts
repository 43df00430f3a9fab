/** The crossing: each form of each open point with each workflow that meets it, clean and with the first reply lost. */
import { forms } from './forms';
import { LOST } from './plays';
import { points, type WorkflowName } from './points';
import type { Form } from './wire';

export interface Case {
  /** Stable: the open point, the form, the workflow, and `clean` or `lost`. */
  readonly name: string;
  readonly form: Form;
  readonly workflow: WorkflowName;
  /** The reply of the first call that pays or must not happen twice is lost. */
  readonly lost: boolean;
}

/** The sandbox's route whose first reply is lost. */
export const lostRoute = ({ form, workflow }: Case): string | undefined => {
  if (workflow === 'callApi') return points[form.point]?.call;
  return workflow === 'backfill' && form.point.startsWith('capture') ? 'captures.reprocess' : LOST[workflow];
};

function casesOf(form: Form): Case[] {
  const point = points[form.point];
  if (point === undefined) throw new Error(`no such open point: ${form.point}`);
  return point.workflows.flatMap((workflow) =>
    (point.lostOnly?.includes(workflow) ? [true] : point.cleanOnly ? [false] : [false, true]).map((lost) => ({
      ...{ name: `${form.point}/${form.name}/${workflow}/${lost ? 'lost' : 'clean'}`, form, workflow, lost },
    })),
  );
}

export const cases: readonly Case[] = forms.flatMap(casesOf);

/** The cases that `npm test` takes: one of each kind, and of each right end. */
export const SAMPLE: readonly string[] = [
  'account.user/payload/callApi/clean',
  'leads.list/link-ignored/leadPipeline/clean',
  'lead.get/json-api/convertLead/clean',
  'lead.convert/no-content/convertLead/lost',
  'lead.convert/credits-used-huge/backfill/clean',
  'projects.list/pages-cursor/convertLead/lost',
  'projects.list/unpaged-of-10/auditProject/clean',
  'project.create/job-id-too/auditProject/lost',
  'document.upload/json-only-415/auditProject/clean',
  'job.get/ends-ready/auditProject/clean',
  'captures.list/project-ignored/captureSweep/clean',
  'note.submit/foreign-id/ingestCapture/clean',
  'everywhere/numeric-ids/leadPipeline/clean',
  'refusal/message/convertLead/clean',
];
