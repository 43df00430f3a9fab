/** `audit-runner approve`, `stop`, `set-budget`…: what a person does to a run that is under way, or to an account's books. */
import { randomUUID } from 'node:crypto';
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { isObject } from '../agent-api/shape';
import { INTERNAL_UPDATES } from '../ledger/messages';
import { isOpen } from '../runs/is-open';
import { isLost, isPassing } from '../temporal/grpc-status';
import { PROGRAM } from '../text/command';
import { ACTS, type Act, type ActName, type Field } from './acts';
import { announce } from './announce';
import { EXIT, Exit } from './exit';
import { readInputOption } from './json-input';
import { findLedgers, readBooks } from './ledgers';
import { number, print, printJson } from './output';
import { withServer } from './server';
import { userName } from './user-name';

export interface ActOptions extends Record<string, unknown> {
  by?: string;
  reason?: string;
  json?: boolean;
}

/** A run that no worker works on takes no update. */
const PATIENCE_MS = 20_000;

/** @param on a workflow ID; for what is done to an account also its name */
export async function actCommand(name: ActName, on: string, options: ActOptions): Promise<number> {
  const act: Act = ACTS[name];
  const said = { ...fieldsOf(name, act, options), ...signed(options) };
  return withServer('reads', async ({ client, server }) => {
    announce(`Sending ${name} to ${on}`, server.config);
    const workflowId = act.to === 'account' ? await ledgerOf(client, on) : on;
    const answer = await update(client, workflowId, act.update, said);
    return told(options, { workflowId, act: name, answer }, sentenceOf(act, answer));
  });
}

/** `audit-runner answer`: any update that a run takes from people. */
export async function answerCommand(
  workflowId: string,
  name: string,
  { input, ...options }: ActOptions & { input?: string },
): Promise<number> {
  if (INTERNAL_UPDATES.has(name)) throw new Exit(EXIT.badInput, `'${name}' is what workers say, and people do not`);
  const given = readInputOption(input, undefined);
  if (!isObject(given))
    throw new Exit(EXIT.badInput, `--input is no object; expected for example '{"projectId": "…"}'`);
  return withServer('reads', async ({ client, server }) => {
    announce(`Sending ${name} to ${workflowId}`, server.config);
    const answer = await update(client, workflowId, name, { ...given, ...signed(options) });
    return told(
      options,
      { workflowId, act: name, answer },
      typeof answer === 'string' ? answer : JSON.stringify(answer),
    );
  });
}

const update = (client: Client, workflowId: string, name: string, said: object): Promise<unknown> =>
  client.withDeadline(Date.now() + PATIENCE_MS, () =>
    client.workflow
      .getHandle(workflowId)
      .executeUpdate<unknown, [object]>(name, { args: [said] })
      .catch((error: unknown) => refused(name, workflowId, error)),
  );

function told({ json }: ActOptions, all: object, sentence: string): number {
  if (json) printJson(all);
  else print(sentence);
  return EXIT.done;
}

/** `audit-runner cancel`: what Temporal calls a cancellation. Who asked for it and why is in the history. */
export async function cancelCommand(workflowId: string, options: ActOptions): Promise<number> {
  const { by, reason } = signed(options);
  return withServer('reads', async ({ client, namespace, server }) => {
    announce(`Cancelling ${workflowId}`, server.config);
    const { type, status } = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch((error: unknown) => refused('cancel', workflowId, error));
    if (!isOpen(status)) throw notUnderWay(workflowId);
    if (type === 'accountLedger')
      throw new Exit(
        EXIT.badInput,
        `${workflowId} holds an account's books and must not end; \`${PROGRAM} hold\` stops the account`,
      );
    await client.workflowService.requestCancelWorkflowExecution({
      namespace,
      workflowExecution: { workflowId },
      identity: by ?? client.options.identity,
      reason: reason ?? '',
      requestId: randomUUID(),
    });
    const answer =
      'Cancellation is requested: nothing more is begun, what has sent nothing is withdrawn, and what was sent is found out and booked.';
    return told(options, { workflowId, act: 'cancel', answer }, answer);
  });
}

function signed({ by = userName(), reason }: ActOptions): { by?: string; reason?: string } {
  return { ...(by && { by }), ...(reason && { reason }) };
}

function fieldsOf(name: ActName, { fields = [], to }: Act, options: ActOptions): Record<string, unknown> {
  const said = fields.flatMap((field) => {
    const given = options[field.name];
    return given === undefined ? [] : [[field.name, readValue(field, given)] as const];
  });
  const mayBeEmpty = fields.every(({ kind }) => kind === 'flag');
  if (said.length === 0 && !mayBeEmpty)
    throw new Exit(EXIT.badInput, `${name} needs at least one of ${fields.map(({ flags }) => flags).join(', ')}`);
  if (to === 'account' && !String(options.reason ?? '').trim())
    throw new Exit(EXIT.badInput, `${name} needs --reason: it is kept in the account's books`);
  return Object.fromEntries(said);
}

function readValue({ kind, flags }: Field, given: unknown): unknown {
  if (kind === 'flag' || kind === 'text') return given;
  if (kind === 'numberOrNone' && given === 'none') return null;
  const text = String(given);
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value))
    throw new Exit(
      EXIT.badInput,
      `${flags} was given '${text}'; expected a number${kind === 'numberOrNone' ? " or 'none'" : ''}`,
    );
  return value;
}

/** The ledger of an account's present user. */
async function ledgerOf(client: Client, on: string): Promise<string> {
  if (on.startsWith('account-ledger.')) return on;
  const ledgers = await findLedgers(client, on);
  const [only] = ledgers;
  if (only === undefined)
    throw new Exit(EXIT.badInput, `no account '${on}' has a ledger: a worker opens it when it starts`);
  if (ledgers.length === 1) return only;
  // One of an earlier user is there as well: the one that a worker spoke to last is the present one's.
  const books = await Promise.all(ledgers.map((ledger) => readBooks(client, ledger)));
  const at = ({ status }: (typeof books)[number]) => status.configuredAt ?? 0;
  return books.reduce((latest, one) => (at(one) > at(latest) ? one : latest)).ledger;
}

/** An answer is a sentence, or what holds from now on, of what can be set. */
function sentenceOf({ fields = [] }: Act, answer: unknown): string {
  if (typeof answer === 'string') return answer;
  if (typeof answer !== 'object' || answer === null) return JSON.stringify(answer);
  const values = Object.entries(answer)
    .filter(([name]) => fields.some((field) => field.name === name))
    .map(([name, value]) => `${name} ${value === null ? 'none' : typeof value === 'number' ? number(value) : value}`);
  return `From now on: ${values.join(', ')}`;
}

const notUnderWay = (workflowId: string): Exit =>
  new Exit(EXIT.badInput, `no run with the ID ${workflowId} is under way; \`${PROGRAM} status\` lists those that wait`);

function refused(act: string, workflowId: string, error: unknown): never {
  if (error instanceof WorkflowNotFoundError) throw notUnderWay(workflowId);
  if (error instanceof WorkflowUpdateFailedError)
    throw new Exit(EXIT.badInput, `${workflowId} does not take '${act}': ${error.cause?.message ?? error.message}`);
  if (isPassing(error) && !isLost(error))
    throw new Exit(EXIT.failed, `${workflowId} does not answer: is a worker running (\`${PROGRAM} worker\`)?`);
  throw error;
}
