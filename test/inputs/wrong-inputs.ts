/** Every field of every workflow's input with values that are wrong; read outside and inside the workflow sandbox. */
import type { z } from 'zod';
import { AuditProjectInput } from '../../src/inputs/audit-project';
import { BackfillInput } from '../../src/inputs/backfill';
import { CallApiInput } from '../../src/inputs/call-api';
import { CaptureSweepInput } from '../../src/inputs/capture-sweep';
import { ConvertLeadInput } from '../../src/inputs/convert-lead';
import { IngestCaptureInput } from '../../src/inputs/ingest-capture';
import { LeadPipelineInput } from '../../src/inputs/lead-pipeline';
import { InputError, parseInput } from '../../src/inputs/parse-input';
import type { WorkflowName } from '../../src/runs/workflow-types';

type Case = [wrong: unknown, allowed: string];

const ACCOUNT = "an account's name: lower-case letters, digits and -, at most 40, never a token";
const ID = 'an identifier: letters, digits and -_.~:/=+|,;!*()$%&#, at most 128';
const DURATION = "a duration such as '90s', '15m', '36h', '7d' or 'PT36H', above 0 and at most a year";
const SINCE = "a date-time with its zone such as '2026-01-31T08:00:00Z', a date, or a duration such as '7d'";
const CREDITS = 'a whole number of at least 0';
const PERCENT = 'a number from 0 to 100';
const POINTS = 'a number from 0 to 50';
const WHOLE_1_TO = (most: number) => `a whole number from 1 to ${most}`;

const REFERENCE = 'a reference: letters, digits, ., - and _, at most 64';

/** The fields of every workflow that works on one thing. */
const runFields: Record<string, Case[]> = {
  priority: [
    [0, WHOLE_1_TO(5)],
    [6, WHOLE_1_TO(5)],
  ],
  askPerson: [[0, 'true or false']],
  personDeadline: [['soon', DURATION]],
};

/** Which leads a pipeline or a batch takes. */
const leadFields: Record<string, Case[]> = {
  view: [
    ['open', "'active', 'archived' or 'all'"],
    [null, "'active', 'archived' or 'all'"],
  ],
  surveyLink: [['abc', "a UUID such as '3f2b8c1e-5a7d-4e90-8b1c-2d3e4f5a6b7c'"]],
  surveyStatus: [
    [[], "a list of at least 1 entry, each 'pending', 'completed' or 'archived'"],
    [true, "a list of at least 1 entry, each 'pending', 'completed' or 'archived'"],
  ],
  createdSince: [
    ['yesterday', SINCE],
    ['2026-01-31T08:00:00', SINCE],
    ['2026-02-30', SINCE],
    ['P1M', SINCE],
    [20260131, SINCE],
  ],
  scoring: [[5, 'an object with the fields minReadiness, minComposite, weights, minScore, require, exclude']],
  'scoring.minReadiness': [
    [140, PERCENT],
    [-1, PERCENT],
    ['60', PERCENT],
  ],
  'scoring.minComposite': [[101, PERCENT]],
  'scoring.weights': [
    [[], 'an object with the fields readiness, composite, hasEmail, hasPhone'],
    [{ readiness: 0, composite: 0 }, 'weights of which readiness or composite is above 0'],
  ],
  'scoring.weights.readiness': [[-1, PERCENT]],
  'scoring.weights.composite': [['1', PERCENT]],
  'scoring.weights.hasEmail': [[51, POINTS]],
  'scoring.weights.hasPhone': [[true, POINTS]],
  'scoring.minScore': [[201, 'a number from 0 to 200']],
  'scoring.require': [[{}, "a list, each 'email', 'phone', 'businessName' or 'clientName'"]],
  'scoring.exclude': [[[], 'an object with the fields names, emailDomains']],
  'scoring.exclude.names': [
    [{}, "a list of at most 1000 entries, each a name of 1 to 200 characters, with * for any text, such as 'Test*'"],
  ],
  'scoring.exclude.emailDomains': [[7, "a list of at most 1000 entries, each an e-mail domain such as 'example.com'"]],
};

const approvalFields: Record<string, Case[]> = {
  approval: [
    ['always', "'none', 'all' or {\"above\": credits}"],
    [5000, "'none', 'all' or {\"above\": credits}"],
  ],
  'approval.above': [
    [-1, CREDITS],
    ['5000', CREDITS],
  ],
  approvalDeadline: [
    ['tomorrow', DURATION],
    ['0s', DURATION],
    ['400d', DURATION],
    [3600, DURATION],
  ],
};

const DOCUMENT = 'a reference into the storage or an object with the fields ref, fileName, fileType';
/** How an audit is run: of a pipeline, and of an audit itself. */
const auditFields: Record<string, Case[]> = {
  documents: [['a.pdf', `a list of at most 1000 entries, each ${DOCUMENT}`]],
  prerequisites: [['skip', "'wait' or 'fail'"]],
  prerequisitesDeadline: [['later', DURATION]],
  mode: [['fast', "'async' or 'sync'"]],
  auditDeadline: [[-1, DURATION]],
  maxStarts: [[11, WHOLE_1_TO(10)]],
};

/** The fields of an object in another one. */
const within = (name: string, fields: Record<string, Case[]>): Record<string, Case[]> =>
  Object.fromEntries(Object.entries(fields).map(([field, cases]) => [`${name}.${field}`, cases]));

/** For each field of a schema, wrong values and what the sentence must say is allowed. */
export const WRONG: Record<
  WorkflowName,
  { schema: z.ZodType; valid: Record<string, unknown>; fields: Record<string, Case[]> }
> = {
  leadPipeline: {
    schema: LeadPipelineInput,
    valid: {},
    fields: {
      account: [
        ['', ACCOUNT],
        ['My Account', ACCOUNT],
        [7, ACCOUNT],
      ],
      ...leadFields,
      order: [['best', "'score', 'oldest' or 'newest'"]],
      maxConversions: [
        [401, 'a whole number from 0 to 400'],
        [-1, 'a whole number from 0 to 400'],
        [1.5, 'a whole number from 0 to 400'],
        ['10', 'a whole number from 0 to 400'],
      ],
      maxCredits: [
        [-1, CREDITS],
        [0.5, CREDITS],
        [1e300, CREDITS],
      ],
      ...approvalFields,
      then: [['convert', "'nothing' or 'audit'"]],
      audit: [
        [
          true,
          'an object with the fields documents, prerequisites, prerequisitesDeadline, mode, auditDeadline, maxStarts',
        ],
      ],
      ...within('audit', auditFields),
      dryRun: [['yes', 'true or false']],
      concurrency: [
        [0, WHOLE_1_TO(50)],
        [51, WHOLE_1_TO(50)],
      ],
    },
  },
  auditProject: {
    schema: AuditProjectInput,
    valid: { project: { clientName: 'Client' }, run: { key: 'run-1', maxCredits: 5000 } },
    fields: {
      account: [['A', ACCOUNT]],
      project: [['Client', 'an object with the fields clientName, industry, companySize, description, currency']],
      'project.clientName': [
        ['', 'text of 1 to 200 characters'],
        [7, 'text of 1 to 200 characters'],
      ],
      'project.industry': [[true, 'text of 1 to 100 characters']],
      'project.companySize': [[50, 'text of 1 to 50 characters']],
      'project.description': [[{}, 'text of at most 2000 characters']],
      'project.currency': [
        ['EURO', "an ISO 4217 code such as 'EUR'"],
        ['eur', "an ISO 4217 code such as 'EUR'"],
      ],
      projectId: [['../x', ID]],
      leadId: [[1, ID]],
      reference: [['a b', 'a reference: letters, digits, ., - and _, at most 64']],
      keepReference: [['no', 'true or false']],
      ...auditFields,
      again: [[1, 'true or false']],
      fresh: [['yes', 'true or false']],
      maxCredits: [[-1, CREDITS]],
      run: [['run-1', 'an object with the fields key, maxCredits']],
      'run.key': [['', 'text of 1 to 1000 characters']],
      'run.maxCredits': [[null, CREDITS]],
      priority: [[6, WHOLE_1_TO(5)]],
      askPerson: [[0, 'true or false']],
      personDeadline: [['soon', DURATION]],
    },
  },
  convertLead: {
    schema: ConvertLeadInput,
    valid: { leadId: 'lead-1', run: { key: 'run-1', maxCredits: 5000 } },
    fields: {
      account: [['a.b', ACCOUNT]],
      leadId: [
        ['../lead', ID],
        [12, ID],
      ],
      personDeadline: [['soon', DURATION]],
      maxCredits: [[-1000, CREDITS]],
      run: [['run-1', 'an object with the fields key, maxCredits']],
      'run.key': [['', 'text of 1 to 1000 characters']],
      'run.maxCredits': [[null, CREDITS]],
      priority: [
        [0, WHOLE_1_TO(5)],
        [6, WHOLE_1_TO(5)],
        ['high', WHOLE_1_TO(5)],
      ],
      askPerson: [[0, 'true or false']],
      findProject: [['no', 'true or false']],
    },
  },
  ingestCapture: {
    schema: IngestCaptureInput,
    valid: { captureId: 'capture-1' },
    fields: {
      account: [['a b', ACCOUNT]],
      note: [[' ', 'text of 1 to 100000 characters, of which one shows']],
      noteFile: [[5, 'text of 1 to 1024 characters']],
      captureId: [['no id!', ID]],
      projectId: [['../x', ID]],
      reference: [['a b', REFERENCE]],
      maxReprocesses: [[21, 'a whole number from 0 to 20']],
      again: [['yes', 'true or false']],
      processingDeadline: [['soon', DURATION]],
      ...runFields,
    },
  },
  captureSweep: {
    schema: CaptureSweepInput,
    valid: {},
    fields: {
      account: [['A', ACCOUNT]],
      statuses: [['failed', "a list of at least 1 entry, each 'failed', 'processing' or 'pending'"]],
      projectId: [['../x', ID]],
      stuckAfter: [[30, DURATION]],
      giveUpAfter: [['never', DURATION]],
      maxReprocesses: [[501, 'a whole number from 0 to 500']],
      dryRun: [['no', 'true or false']],
      priority: runFields.priority ?? [],
    },
  },
  callApi: {
    schema: CallApiInput,
    valid: { route: 'contacts.list' },
    fields: {
      account: [[7, ACCOUNT]],
      route: [[{}, "the name of a route such as 'contacts.create'"]],
      id: [['a b', ID]],
      query: [['limit=5', 'an object']],
      // Whatever a body holds, the route decides on it.
      body: [],
      reference: [['', REFERENCE]],
      maxCredits: [[-1, CREDITS]],
      ...runFields,
    },
  },
  backfill: {
    schema: BackfillInput,
    valid: { operation: 'convertLead', leads: {} },
    fields: {
      account: [['A', ACCOUNT]],
      operation: [['convert', "'convertLead', 'auditProject', 'ingestCapture' or 'reprocessCapture'"]],
      leads: [['all', 'an object with the fields view, surveyLink, surveyStatus, createdSince, scoring']],
      ...within('leads', leadFields),
      captures: [[5, 'an object with the fields status, channel, projectId']],
      'captures.status': [['done', "'pending', 'processing', 'processed', 'needs_review' or 'failed'"]],
      'captures.channel': [
        ['fax', "'transcript', 'voice_note', 'text_note', 'email', 'calendar', 'zoom', 'crm_sync' or 'file_drop'"],
      ],
      'captures.projectId': [['../x', ID]],
      file: [['leads.csv', 'an object with the fields ref, format, delimiter, columns']],
      'file.ref': [['', 'text of 1 to 1024 characters']],
      'file.format': [['xlsx', "'csv' or 'jsonl'"]],
      'file.delimiter': [['--', 'text of 1 character']],
      'file.columns': [[['leadId'], 'an object']],
      redriveOf: [['', 'text of 1 to 1000 characters']],
      ...approvalFields,
      redrive: [[[], "a list of at least 1 entry, each 'failed', 'waiting' or 'skipped'"]],
      defaults: [['none', 'an object']],
      maxItems: [[-1, CREDITS]],
      maxCredits: [[0.5, CREDITS]],
      window: [
        [0, WHOLE_1_TO(500)],
        ['fast', WHOLE_1_TO(500)],
      ],
      itemsPerMinute: [[0, 'a number from 0.01 to 100000']],
      priority: runFields.priority ?? [],
      dryRun: [['yes', 'true or false']],
    },
  },
};

export function problemsOf(schema: z.ZodType, raw: unknown): readonly string[] {
  try {
    parseInput(schema, raw, 'someWorkflow');
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
  return [];
}

/** The valid input with one field set to something else; what is not an object on the way becomes one. */
export function withField(
  valid: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const [key = '', ...rest] = path;
  if (rest.length === 0) return { ...valid, [key]: value };
  const inner = valid[key];
  return { ...valid, [key]: withField(typeof inner === 'object' ? { ...inner } : {}, rest, value) };
}

/** What is said of every wrong value, of every misspelt field, and (nothing) of every valid input. */
export const allProblems = (): [given: string, problems: readonly string[]][] =>
  Object.entries(WRONG).flatMap(([type, { schema, valid, fields }]) => {
    const wrong = Object.entries(fields).flatMap(([path, cases]) =>
      cases.flatMap(([value]) => [
        withField(valid, path.split('.'), value),
        withField(valid, `${path}s`.split('.'), value),
      ]),
    );
    return [undefined, valid, ...wrong].map((raw): [string, readonly string[]] => [
      `${type} ${JSON.stringify(raw)}`,
      problemsOf(schema, raw),
    ]);
  });
