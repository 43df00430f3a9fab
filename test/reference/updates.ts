/** `updates.md`: what a person can say to a run and ask of it. */
import type { z } from 'zod';
import { ACTS } from '../../src/cli/acts';
import { LimitChanges as BackfillLimits } from '../../src/inputs/backfill';
import { LimitChanges as PipelineLimits } from '../../src/inputs/lead-pipeline';
import * as said from '../../src/inputs/person-messages';
import { WORKFLOW_TYPES, type WorkflowName } from '../../src/runs/workflow-types';
import { type Message, type Messages, messagesOf } from './ask-workflow';
import { fieldsOf, fieldTable, legend, REQUIRED_CELL } from './fields';
import { code, page, table } from './markdown';
import { sentence, withJsonAsCode } from './words';

type Asked = WorkflowName | 'accountLedger' | 'startHere';

const ID = '00000000-0000-4000-8000-000000000000';

/** With which inputs the types are begun until they have registered all that they take. */
const INPUTS: Readonly<Record<Asked, readonly unknown[]>> = {
  ...(Object.fromEntries(Object.entries(WORKFLOW_TYPES).map(([type, { example }]) => [type, [example]])) as Record<
    WorkflowName,
    unknown[]
  >),
  ingestCapture: [{ captureId: ID }, { note: 'A note.' }],
  accountLedger: [{}],
  startHere: [undefined],
};

/** What is said with an update, where it is more than who says it and why. */
const SAID: Readonly<Record<string, z.ZodType>> = {
  'leadPipeline.changeLimits': PipelineLimits,
  'backfill.changeLimits': BackfillLimits,
  stop: said.StopSaid,
  decide: said.DecideSaid,
  chooseProject: said.ProjectSaid,
  noteSubmitted: said.CaptureSaid,
  hold: said.Reasoned,
  release: said.ReleaseSaid,
  clear: said.ClearSaid,
  adjust: said.AdjustSaid,
  setBudget: said.BudgetSaid,
};

export interface PersonUpdate extends Message {
  type: Asked;
  schema: z.ZodType;
  /** The names of the fields that the run itself takes. */
  takes: string[];
}

export interface AllMessages {
  people: PersonUpdate[];
  /** Updates of workers, which say nothing of their fields. */
  workers: (Message & { type: Asked })[];
  queries: (Message & { type: Asked })[];
  signals: (Message & { type: Asked })[];
}

export async function allMessages(): Promise<AllMessages> {
  const all: AllMessages = { people: [], workers: [], queries: [], signals: [] };
  for (const type of Object.keys(INPUTS) as Asked[]) {
    const told: Messages[] = [];
    // One after the other: they share a VM.
    for (const input of INPUTS[type]) told.push(await messagesOf(type, idOf(type), input));
    const refusals = new Map(told.flatMap((one) => [...one.refusals]));
    for (const message of each(told, 'updates')) {
      const takes = fieldsIn(refusals.get(message.name) ?? '');
      const schema = SAID[`${type}.${message.name}`] ?? SAID[message.name] ?? said.PersonNote;
      if (takes) all.people.push({ ...message, type, schema, takes });
      else all.workers.push({ ...message, type });
    }
    all.queries.push(...each(told, 'queries').map((one) => ({ ...one, type })));
    all.signals.push(...each(told, 'signals').map((one) => ({ ...one, type })));
  }
  return all;
}

const idOf = (type: Asked) => (type === 'accountLedger' ? 'account-ledger.reference' : 'reference');

const each = (told: readonly Messages[], what: 'updates' | 'queries' | 'signals'): Message[] => [
  ...new Map(told.flatMap((one) => one[what].map((message) => [message.name, message]))).values(),
];

/** A run names its fields to whoever gives another one. */
const fieldsIn = (refusal: string): string[] | undefined =>
  /the fields of this input are ([^.]*)\./.exec(refusal)?.[1]?.split(', ');

const commandOf = (update: string) => Object.entries(ACTS).find(([, act]) => act.update === update)?.[0];

const COMMON = ['by', 'reason', 'run'];

export async function updates(): Promise<string> {
  const { people, workers, queries, signals } = await allMessages();
  const types = [...new Set(people.map(({ type }) => type))];
  const sections = types.map((type) => {
    const own = people.filter((one) => one.type === type);
    return [
      `## ${type}`,
      table(
        ['Update', 'What it does', 'Command'],
        own.map(({ name, description }) => {
          const command = commandOf(name);
          return [code(name), withJsonAsCode(sentence(description)), command ? code(command) : ''];
        }),
      ),
      ...own.map(ownFields),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  });
  return page(
    'Updates and queries',
    'An update is what a person says to a run: in the Web UI under *More Actions*, *Send an Update*, by the command named beside it, or by `temporal workflow update execute`. Its argument is one JSON object, and it may be left out where nothing in it is required. A field that is not known is refused, and so is an update that makes no sense at the moment, with a sentence.',
    'Every update takes these. `by` and `reason` are kept in the result of the run or in the books of the account.',
    fieldTable(fieldsOf(said.PersonNote)),
    legend(sections.join('\n')),
    ...sections,
    '## Queries',
    'What can be asked of a run at any time, also after its end, in the Web UI under *Queries*.',
    table(
      ['Workflow', 'Query', 'What it answers'],
      queries.map(({ type, name, description }) => [type, code(name), withJsonAsCode(sentence(description))]),
    ),
    '## What people do not send',
    'Workers and runs say these to each other. They are named here so that a history can be read.',
    table(
      ['Workflow', 'Kind', 'Name', 'Meaning'],
      [
        ...workers.map((one) => ({ ...one, kind: 'update' })),
        ...signals.map((one) => ({ ...one, kind: 'signal' })),
      ].map(({ type, kind, name, description }) => [type, kind, code(name), withJsonAsCode(sentence(description))]),
    ),
  );
}

/** `reason` only where it is required. */
function ownFields({ name, schema }: PersonUpdate): string {
  const fields = fieldsOf(schema).filter(
    (field) => !COMMON.includes(field.path) || (field.path === 'reason' && field.default === REQUIRED_CELL),
  );
  return fields.length === 0 ? '' : `Fields of \`${name}\`:\n\n${fieldTable(fields)}`;
}
