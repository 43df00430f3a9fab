/** S2: notes at a service whose list shows their text otherwise than it was sent, or not at all. */

import { randomUUID } from 'node:crypto';
import type { SandboxOptions } from '../../src/sandbox';
import { ingestCapture } from '../../workflows';
import { noteSubmittedUpdate } from '../../workflows/capture/submit-note';
import { decideUpdate } from '../../workflows/shared/asker';
import { progressQuery } from '../../workflows/shared/status';
import { onStage, QUICK, type Stage, UNHURRIED } from '../support/stage';
import { until } from '../support/until';

type Input = Parameters<typeof ingestCapture>[0];
type Notes = NonNullable<NonNullable<SandboxOptions['marks']>['notes']>;

/** A service that shows notes like that, and what is done there. */
function helpersOf(stage: Stage) {
  const start = (input: Input) =>
    stage.temporal.client.workflow.start(ingestCapture, {
      ...{ workflowId: `ingest-${randomUUID()}`, taskQueue: 'audit-runner', args: [input] },
    });
  return {
    stage,
    start,
    asks: (run: Awaited<ReturnType<typeof start>>, word: string) =>
      until(async () => (await run.query(progressQuery)).waiting?.includes(word) === true),
    lose: (about: string, fault: 'replyLost' | 'cutBeforeCommit' | 'empty') =>
      stage.sandbox.control.addFault({ route: 'captures.submitNote', about, fault }),
    capturesOf: (id: string) => stage.sandbox.control.captures().filter(({ rawContent }) => rawContent.includes(id)),
  };
}
const whereShown = (notes: Notes, play: (helpers: ReturnType<typeof helpersOf>) => Promise<void>) =>
  onStage(
    {
      sandbox: { captures: 3, durations: { extraction: 50 }, marks: { notes } },
      account: { timing: UNHURRIED, limits: { ...QUICK.limits, notes: { max: 1_000, windowMs: 1_000 } } },
    },
    async (stage) => {
      await stage.startWorker();
      await play(helpersOf(stage));
    },
  );

test.concurrent('S2: a text with entities and backslashes is still the note', () =>
  whereShown('escaped', async ({ start, lose, capturesOf }) => {
    const id = randomUUID();
    lose(id, 'replyLost');
    const result = await (await start({ note: `Prices < 5 & [terms] of ${id}` })).result();
    expect(result).toMatchObject({ outcome: 'processed', captureId: capturesOf(id)[0]?.id });
    expect(capturesOf(id)).toHaveLength(1);
  }));

test.concurrent.each(['cut', 'omitted'] as const)(
  'S2: submitted once when the reply is lost and texts are %s, also at a second start: a person decides',
  (how) =>
    whereShown(how, async ({ start, asks, lose, capturesOf }) => {
      const id = randomUUID();
      const note = `Call Ada about ${id}`;
      lose(id, 'replyLost');
      const first = await start({ note });
      await asks(first, '`decide`');
      const [made] = capturesOf(id);
      expect((await first.query(progressQuery)).waiting).toContain(made?.id);
      await first.executeUpdate(decideUpdate, { args: [{ decision: 'giveUp' }] });
      expect(await first.result()).toMatchObject({ outcome: 'unresolved' });
      const again = await start({ note });
      await asks(again, '`decide`');
      await again.executeUpdate(decideUpdate, { args: [{ decision: 'itHappened' }] });
      await asks(again, '`noteSubmitted`');
      await again.executeUpdate(noteSubmittedUpdate, { args: [{ captureId: made?.id ?? '', by: 'Ada' }] });
      expect(await again.result()).toMatchObject({ outcome: 'processed', captureId: made?.id });
      expect(capturesOf(id)).toHaveLength(1);
    }),
);

test.concurrent('S2: a note that was taken and not found is asked about at the next start', () =>
  whereShown('omitted', async ({ stage, start, asks, capturesOf }) => {
    const note = `Call Eve about ${randomUUID()}`;
    // Taken, as far as one can tell; and no list shows it.
    stage.sandbox.control.addFault({ route: 'captures.submitNote', about: note, fault: 'instead', body: { ok: true } });
    stage.sandbox.control.addFault({ route: 'captures.list', fault: 'instead', times: 1_000, body: { captures: [] } });
    expect(await (await start({ note })).result()).toMatchObject({ reason: 'submittedButNotFound' });
    const again = await start({ note });
    await asks(again, '`decide`');
    await again.executeUpdate(decideUpdate, { args: [{ decision: 'sendAgain', by: 'Ada' }] });
    expect(await again.result()).toMatchObject({ outcome: 'processed', submitted: true });
    expect(capturesOf(note)).toHaveLength(1);
  }));

test.concurrent('S2: where every page of the list is the first one again, a lost note is not taken as never sent', () =>
  whereShown('kept', async ({ stage, start, asks, lose, capturesOf }) => {
    const id = randomUUID();
    lose(id, 'replyLost');
    const others = Array.from({ length: 100 }, (_, i) => ({
      ...{ id: `other-${i}`, channel: 'text_note', status: 'processed', rawContent: `Another one, ${i}` },
      createdAt: new Date().toISOString(),
    }));
    const fault = { route: 'captures.list', fault: 'instead', times: 1_000, body: { captures: others } } as const;
    stage.sandbox.control.addFault(fault);
    const run = await start({ note: `Call Ada about ${id}` });
    await asks(run, '`decide`');
    await run.executeUpdate(decideUpdate, { args: [{ decision: 'itHappened' }] });
    await asks(run, '`noteSubmitted`');
    const [made] = capturesOf(id);
    await run.executeUpdate(noteSubmittedUpdate, { args: [{ captureId: made?.id ?? '', by: 'Ada' }] });
    expect(await run.result()).toMatchObject({ outcome: 'processed', captureId: made?.id });
    expect(capturesOf(id)).toHaveLength(1);
  }));

test.concurrent('what never arrived is sent again by itself, though others enter notes of their own meanwhile', () =>
  whereShown('kept', async ({ stage, start, lose, capturesOf }) => {
    const id = randomUUID();
    lose(id, 'cutBeforeCommit');
    const run = await start({ note: `Call Ada about ${id}` });
    const { baseUrl, token } = stage.sandbox;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ content: 'Stocks are low at the second gate' });
    await fetch(`${baseUrl}/api/nucleus/capture/note`, { method: 'POST', headers, body });
    expect(await run.result()).toMatchObject({ outcome: 'processed', captureId: capturesOf(id)[0]?.id });
    expect(capturesOf(id)).toHaveLength(1);
  }));
