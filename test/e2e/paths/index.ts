/** The paths of which histories are kept: every workflow, and what may happen on its way. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  auditProject,
  backfill,
  callApi,
  captureSweep,
  convertLead,
  ingestCapture,
  leadPipeline,
  startHere,
} from '../../../workflows';
import { refreshSignal } from '../../../workflows/start-here';
import { resetToLast } from '../support/reset';
import type { Path, Play } from './play';

const NONE = { minReadiness: 0 };

const converts: Record<string, Path> = {
  'convert-lead': (play, name) => play.run(convertLead, name, { leadId: play.lead() }),
  'convert-lead.again': async (play, name) => {
    const leadId = play.lead();
    await play.run(convertLead, `${name}.first`, { leadId });
    await play.run(convertLead, name, { leadId });
  },
  'convert-lead.reply-lost': (play, name) => {
    play.fault('leads.convert', { fault: 'replyLost' });
    return play.run(convertLead, name, { leadId: play.lead() });
  },
  'convert-lead.refused': async (play, name) => {
    play.fault('leads.convert', { fault: 'status', status: 429, retryAfter: 1 });
    play.control.setAiKey({ present: false });
    await play.run(convertLead, name, { leadId: play.lead() });
    play.control.setAiKey({ present: true });
  },
  'convert-lead.held': async (play, name) => {
    play.control.setAgentApi({ enabled: false });
    await play.start(convertLead, name, { leadId: play.lead() });
    await play.says(name, 'on hold');
    play.control.setAgentApi({ enabled: true });
    await play.handle(name).result();
  },
  'convert-lead.asks': async (play, name) => {
    play.fault('leads.convert', { fault: 'cutBeforeCommit', times: 2 });
    await play.start(convertLead, name, { leadId: play.lead() });
    await play.says(name, '`decide`');
    await play.tell(name, 'decide', { decision: 'sendAgain', by: 'Ada' });
    await play.handle(name).result();
  },
  'convert-lead.budget': (play, name) =>
    play.withBudget(0, async () => {
      await play.start(convertLead, name, { leadId: play.lead() });
      await play.says(name, 'the day');
      await resetToLast(play.stage, name);
      await play.says(name, 'the day');
      await play.handle(name).cancel();
      await play
        .handle(name)
        .result()
        .catch(() => undefined);
    }),
};

const pipelines: Record<string, Path> = {
  'lead-pipeline.plan': (play, name) => play.run(leadPipeline, name, { dryRun: true }),
  'lead-pipeline': async (play, name) => {
    play.fault('leads.list', { fault: 'status', status: 500 });
    await play.start(leadPipeline, name, { maxConversions: 2, approval: 'all' });
    await play.says(name, 'Approval');
    await play.tell(name, 'approve', { by: 'Ada' });
    await play.handle(name).result();
  },
  'lead-pipeline.stopped': (play, name) =>
    play.withBudget(0, async () => {
      await play.start(leadPipeline, name, { maxConversions: 3, maxCredits: 3_000, scoring: NONE, concurrency: 2 });
      await play.says(name, 'the day');
      await play.tell(name, 'pause', { by: 'Ada' });
      await play.tell(name, 'changeLimits', { concurrency: 1 });
      await play.tell(name, 'resume', { by: 'Ada' });
      await play.tell(name, 'stop', { by: 'Ada' });
      await play.handle(name).result();
    }),
  'lead-pipeline.audits': (play, name) =>
    play.run(leadPipeline, name, {
      ...{ maxConversions: 1, scoring: NONE, then: 'audit', audit: { prerequisites: 'fail' } },
    }),
};

const audits: Record<string, Path> = {
  'audit-project': (play, name) =>
    play.run(auditProject, name, { project: { clientName: 'Client' }, prerequisites: 'fail' }),
  'audit-project.reply-lost': async (play, name) => {
    const documents = await stored(play, 'one.txt', 'two.txt');
    for (const route of ['projects.create', 'projects.uploadDocument', 'projects.auditAsync'] as const)
      play.fault(route, { fault: 'replyLost' });
    await play.run(auditProject, name, { project: { clientName: 'Lost' }, documents, prerequisitesDeadline: '1m' });
  },
  'audit-project.lead': (play, name) =>
    play.run(auditProject, name, { leadId: play.lead(), mode: 'sync', prerequisites: 'fail' }),
  'audit-project.held': (play, name) =>
    play.onHold(async () => {
      await play.start(auditProject, name, { project: { clientName: 'Held' } });
      await play.says(name, 'on hold');
      await play.handle(name).cancel();
      await play
        .handle(name)
        .result()
        .catch(() => undefined);
    }),
};

const captures: Record<string, Path> = {
  'ingest-capture': (play, name) => {
    play.fault('captures.submitNote', { fault: 'replyLost' });
    return play.run(ingestCapture, name, { note: 'Invoice intake goes first. [fails 1]' });
  },
  'ingest-capture.asks': async (play, name) => {
    play.fault('captures.submitNote', { fault: 'cutBeforeCommit', times: 2 });
    await play.start(ingestCapture, name, { note: 'Nobody knows whether this has arrived.' });
    await play.says(name, '`decide`');
    await play.tell(name, 'decide', { decision: 'giveUp', by: 'Ada' });
    await play.handle(name).result();
  },
  'capture-sweep': (play, name) => play.run(captureSweep, name, {}),
};

const others: Record<string, Path> = {
  'backfill.plan': (play, name) => play.run(backfill, name, { operation: 'convertLead', leads: {}, dryRun: true }),
  // It continues as new on its way.
  backfill: async (play, name) => {
    const input = { operation: 'convertLead', file: await leads(play, name, 5), window: 2, maxCredits: 9_000 } as const;
    await play.run(backfill, name, { ...input, approval: 'none' }, { renewAfter: 3 });
  },
  // Items end while lines are written, and another batch has some of them: what comes first then is as much part of a version
  // as any command.
  'backfill.busy': async (play, name) => {
    const file = await leads(play, name, 90);
    const input = { operation: 'convertLead', file, window: 25, maxCredits: 90_000, approval: 'none' } as const;
    const other = await play.start(backfill, `${name}.other`, { ...input, window: 10 });
    await play.run(backfill, name, input);
    await other.result();
  },
  'backfill.stopped': (play, name) =>
    play.withBudget(0, async () => {
      const input = { operation: 'convertLead', file: await leads(play, name, 2), maxCredits: 9_000 } as const;
      await play.start(backfill, name, { ...input, approval: 'none' });
      await play.says(name, 'the day');
      await play.tell(name, 'stop', { by: 'Ada' });
      await play.handle(name).result();
    }),
  'call-api': (play, name) => play.run(callApi, name, { route: 'account.credits' }),
  'call-api.asks': async (play, name) => {
    play.fault('contacts.create', { fault: 'replyLost' });
    const body = { name: 'Prospect', email: 'prospect@example.com' };
    await play.start(callApi, name, { route: 'contacts.create', body });
    await play.says(name, '`decide`');
    await play.tell(name, 'decide', { decision: 'itHappened', by: 'Ada' });
    await play.handle(name).result();
  },
  'start-here': async (play, name) => {
    await play.start(startHere, name);
    await play.handle(name).signal(refreshSignal);
  },
  // The last one: it takes whatever leads are left.
  'lead-pipeline.busy': (play, name) =>
    play.run(leadPipeline, name, { maxConversions: 20, maxCredits: 20_000, scoring: NONE, concurrency: 10 }),
};

/** By the name of the run. One at a time: most of them change what all runs of the account meet. */
export const PATHS: Readonly<Record<string, Path>> = { ...converts, ...pipelines, ...audits, ...captures, ...others };

/** @returns references of new documents in the storage */
async function stored({ stage }: Play, ...names: readonly string[]): Promise<string[]> {
  const folder = fileURLToPath(stage.config.storageUrl);
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), `The text of ${name}`);
  return [...names];
}

/** A file of so many leads. */
async function leads(play: Play, name: string, count: number): Promise<{ ref: string }> {
  const ref = `${name}.csv`;
  const ids = Array.from({ length: count }, () => play.lead());
  await stored(play);
  await writeFile(join(fileURLToPath(play.stage.config.storageUrl), ref), `leadId\n${ids.join('\n')}\n`);
  return { ref };
}
