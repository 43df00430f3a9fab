/** Starts a case's run, answers its questions where it may ask, and gathers all that people could see of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import { dueBooks, type Seen, settingsIn } from './judge';
import { type Play, SLOWER, type Staged } from './plays';
import type { JsonObject } from './wire';

/** A run that says the same for so long, and does nothing, does not end. This machine may be slow. */
const IDLE_MS = 25_000 * SLOWER;
const LIMIT_MS = 120_000 * SLOWER;
/** What is still under way is booked when it is over. */
const BOOKS_MS = 12_000 * SLOWER;
const SOON_MS = 300;
const SEEN_MS = 2_500;
/** Longer than what passes by itself is waited for. */
const STUCK_MS = 4_000;

type Handle = ReturnType<Client['workflow']['getHandle']>;

export async function watch(client: Client, staged: Staged, play: Play): Promise<Omit<Seen, 'keys' | 'met'>> {
  const { account, sandbox } = staged;
  const workflowId = `${account}.${play.type}`;
  const handle = await client.workflow.start(play.type, { workflowId, taskQueue: WORKFLOW_QUEUE, args: [play.args] });
  const end: Pick<Seen, 'result' | 'failure' | 'hangs'> = {};
  const ended = handle.result().then(
    (result: JsonObject) => Object.assign(end, { result }),
    (error: Error) =>
      Object.assign(end, { failure: error instanceof WorkflowFailedError ? chain(error.cause) : String(error) }),
  );
  const deadline = Date.now() + LIMIT_MS;
  const hasEnded = () => Object.keys(end).length > 0;
  let since: number | undefined;
  let last = { state: '', at: Date.now() };
  while (!hasEnded() && Date.now() < deadline && Date.now() - last.at < IDLE_MS) {
    await Promise.race([ended, sleep(staged.asks ? SOON_MS : SEEN_MS, undefined, { ref: false })]);
    if (hasEnded()) break;
    if (staged.asks) await answer(handle, play).catch(() => undefined);
    const said = await saidBy(handle);
    const state = `${said} ${play.effects()}`;
    if (state !== last.state) last = { state, at: Date.now() };
    // Whoever waits for a setting, and says so, waits for a person and another worker.
    const isStuck = settingsIn(said).length > 0;
    since = isStuck ? (since ?? Date.now()) : undefined;
    if (since !== undefined && Date.now() - since > STUCK_MS) break;
    const asked = staged.asks ? undefined : await questionIn(client, account);
    if (asked !== undefined) end.hangs = `asks a person: ${asked}`;
  }
  if (!hasEnded()) end.hangs = await saidBy(handle);
  const seen = { ...end };
  const spent = () => ({ spent: sandbox.control.stats().creditsSpent[sandbox.userId] ?? 0, effects: play.effects() });
  const until = Date.now() + BOOKS_MS;
  let books = await booksOf(client, account);
  while (seen.hangs === undefined && (books.booked ?? 0) !== dueBooks(staged, spent()) && Date.now() < until) {
    await sleep(SOON_MS);
    books = await booksOf(client, account);
  }
  const text = [JSON.stringify(seen), await saidBy(handle), ...(await others(client, account, workflowId))].join('\n');
  await endAll(client, account);
  return { ...seen, text, ...spent(), ...books };
}

const chain = (error: Error | undefined): string =>
  error === undefined ? '' : [error.message, chain(error.cause as Error | undefined)].filter(Boolean).join(': ');

/** What a run says that it does and waits for, also when it has ended. */
async function saidBy(handle: Handle): Promise<string> {
  const said = await handle
    .query<{ doing?: string; waiting?: string }, []>('progress')
    .catch(() => ({}) as { doing?: string; waiting?: string });
  return [said.doing, said.waiting].filter(Boolean).join(' | ');
}

const runsOf = (client: Client, account: string) => client.workflow.list({ query: `Account = '${account}'` });

/** What a run of the case asks a person, if one does. */
async function questionIn(client: Client, account: string): Promise<string | undefined> {
  for await (const { workflowId } of client.workflow.list({
    query: `Account = '${account}' AND NeedsPerson = true AND ExecutionStatus = 'Running'`,
  }))
    return saidBy(client.workflow.getHandle(workflowId));
  return undefined;
}

/** The sum of today by the account's ledgers. */
async function booksOf(client: Client, account: string): Promise<Pick<Seen, 'booked' | 'ledgers'>> {
  let booked: number | undefined;
  const ledgers: string[] = [];
  for await (const { type, workflowId } of runsOf(client, account))
    if (type === 'accountLedger') {
      booked = (booked ?? 0) + (await spentToday(client, workflowId));
      ledgers.push(workflowId);
    }
  return { booked, ledgers };
}

/** Nothing of a ledger that has not opened its books yet: a run that was refused at once asks nothing of it. */
async function spentToday(client: Client, workflowId: string): Promise<number> {
  try {
    return (await client.workflow.getHandle(workflowId).query<{ spentToday: number }, []>('status')).spentToday;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('The ledger is finding out')) return 0;
    throw error;
  }
}

/** What the runs say that the run of the case started. */
async function others(client: Client, account: string, own: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { type, workflowId, status } of runsOf(client, account)) {
    if (type === 'accountLedger' || workflowId === own) continue;
    const handle = client.workflow.getHandle(workflowId);
    texts.push(await saidBy(handle));
    if (status.name !== 'RUNNING')
      texts.push(await handle.result().then(JSON.stringify, (error: Error) => chain(error.cause as Error)));
  }
  return texts;
}

/** A person who looks in the web app and says how it is. */
async function answer(handle: Handle, play: Play): Promise<void> {
  const said = await saidBy(handle);
  const [became] = play.became();
  const update = /`(decide|chooseProject|noteSubmitted)`/.exec(said)?.[1];
  if (update === 'decide')
    await handle.executeUpdate('decide', {
      args: [{ decision: play.effects() > 0 ? 'itHappened' : 'sendAgain', by: 'edges' }],
    });
  if (update === 'chooseProject') await handle.executeUpdate(update, { args: [{ projectId: became, by: 'edges' }] });
  if (update === 'noteSubmitted') await handle.executeUpdate(update, { args: [{ captureId: became, by: 'edges' }] });
}

/** Ends what is left, the ledger too: nothing of a case is looked at any more. */
async function endAll(client: Client, account: string): Promise<void> {
  for await (const { workflowId, status } of runsOf(client, account))
    if (status.name === 'RUNNING')
      await client.workflow
        .getHandle(workflowId)
        .terminate()
        .catch(() => undefined);
}
