/** Calls that would do something twice, or that cost. */
import type { PersonDecision } from '../../src/paying/attempt-plan';
import { searchAttributeKeys } from '../../src/temporal/search-attribute-keys';
import { decideUpdate } from '../../workflows/shared/asker';
import { deleteRun } from '../support/ledgers';
import { until } from '../support/until';
import { type Fault, useStage } from './call-api.stage';

const on = useStage('a');
const { start, call, calls, fault, timesThere, contact, create, waitsFor, eventsWith, ledgerGivesUp } = on;

/** Waits until the call whose fault takes its time has arrived. */
const inTheCall = (email: string) =>
  until(() => on.stage.sandbox.control.stats().faults.some(({ about }) => about === email));

const QUESTION = 'It is unknown whether contacts.create was done';

const ANSWERS: [PersonDecision, Fault['fault'], object, number][] = [
  ['itHappened', 'replyLost', { outcome: 'done', reason: 'replyLost' }, 1],
  ['sendAgain', 'cutBeforeCommit', { outcome: 'done' }, 1],
  ['giveUp', 'cutBeforeCommit', { outcome: 'unresolved', reason: 'nobodyDecided' }, 0],
];
test.concurrent.each(ANSWERS)(
  'S2: a create whose answer is lost is not sent again by itself; a person says %s',
  async (...row) => {
    const [decision, what, expected, there] = row;
    const body = contact();
    fault('contacts.create', { about: body.email, fault: what });
    const run = await start(create(body));
    await waitsFor(run, QUESTION);
    expect(await timesThere(body.email)).toBe(what === 'replyLost' ? 1 : 0);
    // A person takes longer than the ledger.
    if (decision === 'sendAgain') await ledgerGivesUp();
    expect((await run.describe()).typedSearchAttributes.get(searchAttributeKeys.needsPerson)).toBe(true);
    await run.executeUpdate(decideUpdate, { args: [{ decision, by: 'Ada' }] });
    const result = await run.result();
    expect(result).toMatchObject({ ...expected, answers: [{ answer: decision, by: 'Ada' }] });
    expect(await timesThere(body.email)).toBe(there);
    expect(await eventsWith(run, body.email)).toEqual([1]);
  },
);

test.concurrent('S2: after a run that was given up, whoever makes an equal call is asked first', async () => {
  const body = contact();
  fault('contacts.create', { about: body.email, fault: 'cutBeforeCommit' });
  expect(await call(create(body, { askPerson: false }))).toMatchObject({ outcome: 'unresolved' });
  await ledgerGivesUp();
  const run = await start(create(body));
  await waitsFor(run, QUESTION);
  expect(await timesThere(body.email)).toBe(0);
  await run.executeUpdate(decideUpdate, { args: [{ decision: 'sendAgain' }] });
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(await call(create(body))).toMatchObject({ reason: 'alreadyDone' });
  expect(await timesThere(body.email)).toBe(1);
});

test.concurrent('S2: where no person is asked, what nobody knows stays unresolved', async () => {
  const body = contact();
  fault('contacts.create', { about: body.email, fault: 'statusAfterCommit', status: 500 });
  const result = await call(create(body, { askPerson: false }));
  expect(result).toMatchObject({ outcome: 'unresolved', reason: 'nobodyDecided' });
  expect(await timesThere(body.email)).toBe(1);
});

test.concurrent('S1: equal calls that create something are one, however often they are started; a reference tells them apart', async () => {
  const body = contact();
  fault('contacts.create', { about: body.email, fault: 'delay', delayMs: 500 });
  const results = await Promise.all([call(create(body)), call(create(body))]);
  expect(results.map(({ reason }) => reason ?? 'made').sort()).toEqual(['alreadyDone', 'made']);
  const [made] = results.filter(({ reason }) => reason === undefined);
  const reordered = { email: body.email, name: body.name };
  expect(await call(create(reordered))).toMatchObject({ reason: 'alreadyDone', ref: made?.ref });
  expect(await timesThere(body.email)).toBe(1);
  expect(await call(create(body, { reference: 'second' }))).toMatchObject({ outcome: 'done' });
  expect(await timesThere(body.email)).toBe(2);
});

test.concurrent('S1: terminated in the call and started again, it is made once', async () => {
  const body = contact();
  fault('contacts.create', { about: body.email, fault: 'delay', delayMs: 1_400 });
  const run = await start(create(body));
  await inTheCall(body.email);
  await run.terminate();
  expect(await call(create(body))).toMatchObject({ outcome: 'done', reason: 'alreadyDone' });
  expect(await timesThere(body.email)).toBe(1);
});

test.concurrent.each(['at once', 'after the ledger has given it up'])(
  'S1 S2: what nobody knows of the call of a run that is gone is asked by a run that starts %s',
  async (when) => {
    const body = contact();
    fault('contacts.create', { about: body.email, fault: 'replyLost' });
    const run = await start(create(body));
    await inTheCall(body.email);
    await run.terminate();
    if (when !== 'at once') await ledgerGivesUp();
    const second = await start(create(body));
    await waitsFor(second, QUESTION);
    await second.executeUpdate(decideUpdate, { args: [{ decision: 'itHappened' }] });
    expect(await second.result()).toMatchObject({ outcome: 'done' });
    expect(await timesThere(body.email)).toBe(1);
  },
);

test('S3: a call that costs by the configuration is booked, within its cap', async () => {
  const before = await on.stage.spentByLedger();
  const memory = (subject: string) => ({ route: 'memories.create', body: { subject, content: contact().name } });
  expect(await call({ ...memory('dear'), maxCredits: 299 })).toMatchObject({
    ...{ outcome: 'skipped', reason: 'overMaxCredits', credits: 0 },
  });
  expect(await call(memory('dear'))).toMatchObject({ outcome: 'done', credits: 300 });
  fault('memories.create', { fault: 'garbage' });
  expect(await call(memory('unreadable'))).toMatchObject({ outcome: 'done', reason: 'replyLost', credits: 300 });
  expect(await on.stage.spentByLedger()).toBe(before + 600);
  expect(calls('memories.create')).toBe(2);
});

test('S1: an equal call is known beyond the memory of the ledger', async () => {
  const body = contact();
  const made = await call(create(body));
  await deleteRun(on.stage, on.stage.ledgerId);
  expect(await call(create(body))).toMatchObject({ reason: 'alreadyDone', ref: made.ref });
  expect(await timesThere(body.email)).toBe(1);
});
