/** What has to be true in the end, whatever was done. */
import { until } from '../../support/until';
import { type OpenRun, PER_DAY, type World } from './world';

/** Such runs wait for a person or for tomorrow, and say so: nothing more is to come. */
const FOR_LONG = /Answer with the update|the credits of the day are used up|The update `resume`/;
const WAITS = /Waiting since|Under way[;,]/;
export const isWaiting = (details = ''): boolean => WAITS.test(details);
/** They never end. */
const HOUSE = ['accountLedger', 'startHere'];
/** Seconds on a quiet machine. */
const CALM_MS = 400_000;
const LOOK_MS = 300;
const BOOKS_MS = 120_000;
const PRICE = 1_000;

/**
 * Lets everything go on until every run has ended or will wait for long.
 * @returns what is wrong: runs that neither ended nor say what they wait for (S7)
 */
export async function calm(world: World, help: (run: OpenRun) => Promise<unknown>): Promise<string[]> {
  const deadline = Date.now() + CALM_MS;
  for (let looks = 0; ; ) {
    world.letGo();
    const all = await world.openRuns();
    const open = all.filter(({ type, details }) => !HOUSE.includes(type) || details === undefined);
    looks = open.every(({ details = '' }) => FOR_LONG.test(details)) ? looks + 1 : 0;
    // Runs that others start are listed a moment later.
    if (looks === 2) return [];
    if (Date.now() > deadline) return (await Promise.all(open.map((run) => silence(world, run)))).flat();
    for (const run of open) await help(run);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function silence(world: World, { workflowId, details }: OpenRun): Promise<string[]> {
  if (details === undefined) return [`${workflowId} does not answer: ${await world.taskFailureOf(workflowId)}`];
  if (WAITS.test(details)) return [];
  return [`${workflowId} neither ended nor says what it waits for: '${details.split('\n')[0]}'`];
}

/** Whoever has the budget tries to spend more than all of it: the caps hold, and the account is of use. */
export async function spendRest(world: World): Promise<void> {
  const leads = Array.from({ length: PER_DAY / PRICE + 1 }, () => world.lead());
  await Promise.all(leads.map((leadId, i) => world.start('convertLead', `rest-${i}`, { leadId })));
}

/** @returns what is wrong with the money and with what must happen once (S1, S3, S6) */
export async function checkBooks(world: World): Promise<string[]> {
  const { control, stage } = world;
  const wrong: string[] = [];
  const spent = () => stage.figures().spent;
  let booked: number | string = 'the ledger does not answer';
  const isRight = async () => {
    booked = await stage.spentByLedger().catch((error) => `the ledger does not answer (${error?.message})`);
    return booked === spent();
  };
  await until(isRight, BOOKS_MS).catch(() => wrong.push(`books: ${booked} of ${spent()} credits that were deducted`));
  if (spent() > PER_DAY) wrong.push(`cap: ${spent()} credits spent of ${PER_DAY} a day`);
  if (spent() < PER_DAY) wrong.push(`of use: ${spent()} credits spent of ${PER_DAY} that were wanted`);
  const { paidTwice, paidOverlapping, documentsDoubled, notesDoubled } = control.stats();
  for (const { subject, times } of paidTwice) wrong.push(`twice: ${subject} paid ${times} times`);
  for (const { subject } of paidOverlapping) wrong.push(`overlapping: paid calls for ${subject}`);
  for (const { fileName, times } of documentsDoubled) wrong.push(`twice: document ${fileName} ${times} times`);
  for (const { rawContent, times } of notesDoubled) wrong.push(`twice: note '${rawContent}' ${times} times`);
  const { payments } = control.stats();
  const projects = payments.filter(({ subject }) => subject.startsWith('project:')).length;
  if (projects > 1) wrong.push(`twice: ${projects} projects created of one input`);
  const contacts = world.called('contacts.create') > 0 ? await contactsOf(world) : 0;
  if (contacts > 1) wrong.push(`twice: ${contacts} contacts created of one input`);
  return [...wrong, ...(await misreported(world))];
}

async function contactsOf({ stage: { sandbox } }: World): Promise<number> {
  const reply = await fetch(`${sandbox.baseUrl}/api/nucleus/contacts`, {
    headers: { authorization: `Bearer ${sandbox.token}` },
  });
  return (await reply.text()).split('edge@example.com').length - 1;
}

/** S6: leads that were paid for, of which every run that ended by itself says something else. */
async function misreported({ client, control }: World): Promise<string[]> {
  const said = new Map<string, string[]>();
  const query = "WorkflowType = 'convertLead' AND ExecutionStatus = 'Completed'";
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const { leadId, outcome } = record(await client.workflow.getHandle(workflowId, runId).result());
    said.set(String(leadId), [...(said.get(String(leadId)) ?? []), String(outcome)]);
  }
  const paid = control.stats().payments.flatMap(({ subject }) => (subject.startsWith('lead:') ? subject.slice(5) : []));
  return paid.flatMap((id) => {
    const outcomes = said.get(id) ?? [];
    return outcomes.length > 0 && !outcomes.some((one) => GOOD.includes(one))
      ? `misreported: lead ${id} is paid for, and its runs say ${outcomes.join(', ')}`
      : [];
  });
}

/** The last of a run that says that nobody knows. */
const GOOD = ['converted', 'alreadyConverted', 'unresolved'];
const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
