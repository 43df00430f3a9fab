/** A stage whose workers are processes and whose Temporal server may be killed. */

import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnServer } from '../../../src/dev-server/server';
import { setBudgetUpdate, statusQuery } from '../../../src/ledger/messages';
import { convertLeadId } from '../../../src/runs/run-ids';
import { convertLead } from '../../../workflows';
import { completedLeads, type Stage, type StageOptions, startStage } from '../../support/stage';
import { withWhatRunsSay } from '../../support/told';
import { until } from '../../support/until';
import { WorkerProcess } from './worker-process';

export class Scene {
  private readonly workers: WorkerProcess[] = [];
  private readonly fresh: string[];
  private server: OwnServer | undefined;

  private constructor(readonly stage: Stage) {
    this.server = stage.server;
    this.fresh = completedLeads(stage);
  }

  /** By default the service is one at which two requests in flight for one lead both pay. */
  static async open({ sandbox, ...options }: StageOptions = {}): Promise<Scene> {
    return new Scene(
      await startStage({ sandbox: { leads: 25, projects: 0, convertCheck: 'atArrival', ...sandbox }, ...options }),
    );
  }

  /** Another worker process, at work; with `ready`, as soon as it says that. */
  async worker(env: Readonly<Record<string, string>> = {}, ready = 'account is ready'): Promise<WorkerProcess> {
    const worker = new WorkerProcess({ ...this.stage.env, LOG_LEVEL: 'info', ...env });
    this.workers.push(worker);
    await worker.said(ready);
    return worker;
  }

  /** The ID of a lead that can be converted, another one each time. */
  lead(): string {
    const id = this.fresh.shift();
    if (id === undefined) throw new Error('the sandbox has too few leads for this test');
    return id;
  }

  convert(leadId: string, workflowId = convertLeadId('default', leadId)) {
    return this.stage.temporal.client.workflow.start(convertLead, {
      workflowId,
      taskQueue: 'audit-runner',
      args: [{ leadId }],
    });
  }

  /** Starts conversions and waits until their requests are at the service, where one fault each happens to them. */
  async convertsUnderWay(leads: readonly string[]) {
    const { converts } = this.stage.figures();
    const runs = await Promise.all(leads.map((lead) => this.convert(lead)));
    await until(() => this.stage.figures().converts >= converts + leads.length);
    return runs;
  }

  ledger() {
    return this.stage.temporal.client.workflow.getHandle(this.stage.ledgerId);
  }

  ledgerStatus() {
    return this.ledger().query(statusQuery);
  }

  /** A person limits what may be spent in a day; null lifts that. The ledger may not be there yet. */
  limitDay(perDay: number | null): Promise<void> {
    const said = { perDay, reason: 'test', by: 'Ada' };
    return until(() =>
      this.ledger()
        .executeUpdate(setBudgetUpdate, { args: [said] })
        .then(
          () => true,
          () => false,
        ),
    );
  }

  /** Whether the log of any worker has it. */
  said(text: string): boolean {
    return this.workers.some(({ output }) => output.includes(text));
  }

  /** The books become what the service charged: a query may be lost while a worker or the server is gone. */
  booksAreRight(withinMs = 30_000): Promise<void> {
    return until(async () => {
      const booked = await this.stage.spentByLedger().catch(() => undefined);
      return booked === this.stage.figures().spent;
    }, withinMs);
  }

  /** Needs a stage with `ownServer`. */
  async killServer(): Promise<void> {
    await this.server?.kill();
  }

  /** The server again, on the same port and file, answering. */
  async restartServer(): Promise<void> {
    this.server = await this.server?.restart();
    await until(() =>
      this.ledger()
        .describe()
        .then(
          () => true,
          () => false,
        ),
    );
  }

  /** A copy of the server's database, for {@link loseDatabase}; the server is killed for it. */
  async backUp(): Promise<string> {
    const backup = join(this.stage.folder, 'backup');
    await this.killServer();
    await mkdir(backup);
    for (const file of await this.#database()) await copyFile(join(this.stage.folder, file), join(backup, file));
    await this.restartServer();
    return backup;
  }

  /** The server again, on the same port, with an empty database or that of a backup. */
  async loseDatabase(backup?: string): Promise<void> {
    await this.killServer();
    for (const file of await this.#database()) await rm(join(this.stage.folder, file));
    if (backup !== undefined)
      for (const file of await readdir(backup)) await copyFile(join(backup, file), join(this.stage.folder, file));
    this.server = await this.server?.restart();
  }

  async #database(): Promise<string[]> {
    const files = await readdir(this.stage.folder);
    return files.filter((file) => /^temporal\.db(-|$)/.test(file));
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    if (this.server !== this.stage.server) await this.server?.stop();
    await this.stage.close();
  }
}

/** Plays in a scene of its own and closes it, whatever happens. */
export async function inScene<T>(options: StageOptions, play: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = await Scene.open(options);
  try {
    return await play(scene);
  } catch (error) {
    throw await withWhatRunsSay(scene.stage.temporal.client, error);
  } finally {
    await scene.close();
  }
}
