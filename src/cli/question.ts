/** What a run asks a person, and the commands that answer: for people who have no Web UI at hand. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { z } from 'zod';
import { searchAttributeKeys } from '../temporal/search-attribute-keys';
import { command, PROGRAM } from '../text/command';
import { pagesText } from '../text/pages-text';
import { ACTS, type Act } from './acts';
import { RunProgress } from './progress';
import { type Followed, pageOf } from './server';

/** A question to a person, as the run itself puts it. */
export interface Question {
  /** What it waits for and how it is answered. */
  asked: string;
  /** Its page: what is to be decided on, in Markdown. */
  page: string;
  /** Commands that answer, one for each answer. */
  commands: string[];
}

const QUERY_MS = 5_000;

const Update = z.object({ name: z.string(), description: z.string().optional() });

/** What the SDK answers for every run. */
const Metadata = z.object({
  currentDetails: z.string().default(''),
  definition: z.object({ updateDefinitions: z.array(Update).default([]) }).default({ updateDefinitions: [] }),
});

const NOTHING: z.infer<typeof Metadata> = { currentDetails: '', definition: { updateDefinitions: [] } };

/** @returns undefined when no worker answers, or the run waits for nothing */
export async function questionOf(client: Client, handle: WorkflowHandle): Promise<Question | undefined> {
  const ask = (query: string) =>
    client.withDeadline(Date.now() + QUERY_MS, () => handle.query(query)).catch(() => undefined);
  const [said, metadata] = await Promise.all([ask('progress'), ask('__temporal_workflow_metadata')]);
  const asked = RunProgress.safeParse(said).data?.waiting;
  if (asked === undefined) return undefined;
  const { currentDetails: page, definition } = Metadata.catch(NOTHING).parse(metadata);
  return { asked, page, commands: commandsFor(handle.workflowId, asked, definition.updateDefinitions) };
}

/** A run names in its question the updates that answer it. */
function commandsFor(workflowId: string, asked: string, updates: readonly z.infer<typeof Update>[]): string[] {
  const named = new Set([...asked.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const answering = updates.filter(({ name }) => named.has(name));
  return answering.flatMap(({ name, description = '' }) => {
    const act = Object.entries<Act>(ACTS).find(([, { update, to }]) => update === name && to === 'run')?.[0];
    if (act !== undefined) return command(act, workflowId);
    const answer = `${command('answer', workflowId)} ${name}`;
    const inputs = inputsIn(description);
    return inputs.length === 0 ? answer : inputs.map((input) => `${answer} --input '${input}'`);
  });
}

/** `"decision": "itHappened" | "giveUp"`, and nothing that a shell takes apart. */
const FIELD = /"(\w+)": ("[\w.…-]*"(?: \| "[\w.…-]*")*)/g;

/** What may be said with an update, by its description: one JSON object for each choice. Who said it and why may be left out. */
function inputsIn(description: string): string[] {
  const [template = ''] = /\{[^{}]*\}\W*$/.exec(description) ?? [];
  const fields = [...template.matchAll(FIELD)].filter(([, name = '']) => name !== 'by' && name !== 'reason');
  let inputs: string[] = [];
  for (const [, name, values = ''] of fields) {
    const before = inputs.length === 0 ? [''] : inputs.map((input) => `${input}, `);
    inputs = before.flatMap((input) => values.split(' | ').map((value) => `${input}"${name}": ${value}`));
  }
  return inputs.map((input) => `{${input}}`);
}

const indented = (lines: readonly string[]): string => lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n');

/** The question in full, for a terminal. @param link where its page is */
export function describeQuestion({ asked, page, commands }: Question, link: string | undefined): string {
  const text = page.trim() === '' ? asked : pagesText(page);
  return [
    `A person is needed. The run says:\n\n${indented(text.split('\n'))}\n`,
    ...(link === undefined ? [] : [`Its page: ${link}`]),
    commands.length === 0
      ? `${PROGRAM} answer --help says how to answer.`
      : `Answer, in another terminal, with one of these:\n${indented(commands)}`,
  ].join('\n');
}

/**
 * Tells each question of a run once, however often it is looked at.
 * @param note writes full lines
 */
export function tellsQuestions(followed: Followed, handle: WorkflowHandle, note: (text: string) => void) {
  let looked: string | undefined;
  return async ({ waiting }: RunProgress): Promise<void> => {
    // What keeps its calls meanwhile comes behind the question, and is no other one.
    const asked = waiting?.split('\n\n')[0];
    if (asked === looked) return;
    if (asked !== undefined) {
      // Where this fails, the next look asks again.
      const { runId, typedSearchAttributes } = await handle.describe();
      if (typedSearchAttributes.get(searchAttributeKeys.needsPerson) === true) {
        const question = await questionOf(followed.client, handle);
        if (!question) return;
        note(describeQuestion(question, pageOf(followed, handle.workflowId, runId)));
      }
    }
    looked = asked;
  };
}
