/** A service at which a token may not submit notes, while a person may; it stands in front of the sandbox. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ingestCapture } from '../../workflows';
import { noteSubmittedUpdate } from '../../workflows/capture/submit-note';
import { progressQuery } from '../../workflows/shared/status';

import { eventName } from '../support/event-name';
import { type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

let stage: Stage;
let front: Server;
beforeAll(async () => {
  front = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    if (url?.endsWith('/capture/note')) {
      outgoing.writeHead(403, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ error: 'not for tokens', code: 'PAT_ROUTE_NOT_ALLOWED' }));
      return;
    }
    const onward = request(`${stage.sandbox.baseUrl}${url}`, { ...(method && { method }), headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const { port } = front.address() as AddressInfo;
  stage = await startStage({
    sandbox: { durations: { extraction: 100 } },
    account: { baseUrl: `http://127.0.0.1:${port}` },
  });
  await stage.startWorker();
});
afterAll(async () => {
  await stage.close();
  front.closeAllConnections();
  front.close();
});

type Input = Parameters<typeof ingestCapture>[0];
const start = (input: Input) =>
  stage.temporal.client.workflow.start(ingestCapture, {
    workflowId: `ingest-${randomUUID()}`,
    taskQueue: 'audit-runner',
    args: [input],
  });
const asks = (handle: Awaited<ReturnType<typeof start>>) =>
  until(async () => (await handle.query(progressQuery)).waiting?.includes('noteSubmitted') === true);

/** A person enters a note in the web app. */
async function enter(content: string): Promise<string> {
  const reply = await fetch(`${stage.sandbox.baseUrl}/api/nucleus/capture/note`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.sandbox.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  });
  const { capture } = JSON.parse(await reply.text());
  return capture.id;
}

test('where the token may not submit notes a person is asked; it is noticed when the note is there', async () => {
  const text = `By hand ${randomUUID()}`;
  const handle = await start({ note: text });
  await asks(handle);
  const captureId = await enter(`${text}\n`);
  expect(await handle.result()).toMatchObject({ outcome: 'processed', submitted: false, captureId, answers: [] });
});

test('a person says which capture it is; one that is not there or another note has is not taken', async () => {
  const before = await enter('An earlier note');
  const first = await start({ note: `In other words ${randomUUID()}` });
  await asks(first);
  const say = (handle: typeof first, captureId: string) =>
    handle.executeUpdate(noteSubmittedUpdate, { args: [{ captureId, by: 'Ada' }] });
  await expect(say(first, randomUUID())).resolves.toContain('http404');
  // S7: also after the run itself has looked.
  const looks = () => stage.sandbox.control.stats().requests.byRoute['captures.list'] ?? 0;
  const soFar = looks();
  await until(() => looks() > soFar + 1);
  expect((await first.query(progressQuery)).waiting).toContain('noteSubmitted');
  await expect(say(first, 'no id!')).rejects.toMatchObject({
    cause: { message: expect.stringContaining('captureId was given text of 6 characters') },
  });
  await expect(say(first, before)).resolves.toContain('Noted');
  expect(await first.result()).toMatchObject({
    ...{ outcome: 'processed', captureId: before },
    answers: [{ answer: `capture ${before}`, by: 'Ada' }],
  });
  const second = await start({ note: `Something else ${randomUUID()}`, personDeadline: '30s' });
  await asks(second);
  await expect(say(second, before)).resolves.toContain("another note's");
  expect(await second.result()).toMatchObject({ outcome: 'expired', reason: 'noteNotSubmitted' });
});

test('S7: who says which capture it is need not wait for a look that the run makes meanwhile', async () => {
  const { control } = stage.sandbox;
  const captureId = await enter('What was said at lunch');
  const handle = await start({ note: `In my own words ${randomUUID()}` });
  await asks(handle);
  control.addFault({ route: 'captures.list', fault: 'delay', delayMs: 110_000 });
  await until(() => control.stats().faults.some(({ route }) => route === 'captures.list'));
  await expect(handle.executeUpdate(noteSubmittedUpdate, { args: [{ captureId, by: 'Ada' }] })).resolves.toContain(
    'Noted',
  );
  expect(await handle.result()).toMatchObject({ outcome: 'processed', captureId });
  control.endDelays();
  const { events } = await handle.fetchHistory();
  expect((events ?? []).map(({ eventType }) => eventName(eventType))).toContain('ActivityTaskCancelRequested');
}, 60_000);
