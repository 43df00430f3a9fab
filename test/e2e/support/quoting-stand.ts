/** A worker process whose accounts are each at a service of their own that quotes, and everything that it leaves behind (S4). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from '@temporalio/client';
import { freePort } from '../../../src/dev-server/free-port';
import { type Sandbox, startSandbox } from '../../../src/sandbox';
import { createClient } from '../../../src/temporal/client';
import { ENCRYPTION_VARIABLE } from '../../../src/temporal/encryption-keys';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';
import { tree } from '../../support/listeners';
import { QUICK, type Stage, startStage } from '../../support/stage';
import { until } from '../../support/until';
import { leaks, type Place, placesOfFiles, placesOfRuns, secretsOf } from './leaks';
import { PERSONAL, type Quoting, startQuoting } from './quoting';
import { WorkerProcess } from './worker-process';

/** A run that is not over by then waits for something that does not come in these stories. */
const PLAY_MS = 30_000;
/** What takes minutes at the service takes no time here. */
const AT_ONCE = { convert: 20, createProject: 20, upload: 20, documentAnalysis: 50, interviewAnalysis: 0, audit: 100 };
/** In the storage of every account. */
export const DOCUMENT = 'one.txt';

export interface Service {
  account: string;
  sandbox: Sandbox;
  front: Quoting;
  /** The ID of a lead that can be converted, another one each time. */
  lead(): string;
}

export interface StandOptions {
  accounts: readonly string[];
  /** The encryption key. @default none */
  key?: string | undefined;
  /** More of the worker's environment. */
  env?: Readonly<Record<string, string>>;
}

interface Parts {
  stage: Stage;
  services: readonly Service[];
  client: Client;
  env: Readonly<Record<string, string>>;
  worker: WorkerProcess;
  receiver: Server;
  notices: readonly string[];
}

export class QuotingStand {
  private readonly terminal: string[] = [];

  private constructor(private readonly parts: Parts) {}

  get services(): readonly Service[] {
    return this.parts.services;
  }

  static async open({ accounts, key, env: more = {} }: StandOptions): Promise<QuotingStand> {
    const services = await Promise.all(accounts.map(serviceOf));
    const notices: string[] = [];
    const receiver = createServer(async (request, response) => {
      notices.push(await text(request));
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const tokens = Object.fromEntries(services.map(({ sandbox }, n) => [`ACCOUNT_TOKEN_${n}`, sandbox.token]));
    const stage = await startStage({
      file: {
        accounts: Object.fromEntries(
          services.map(({ account, front: { baseUrl } }, n) => [
            account,
            { baseUrl, tokenEnv: `ACCOUNT_TOKEN_${n}`, showNames: 'none', ...QUICK },
          ]),
        ),
        notify: { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` },
      },
      env: tokens,
    });
    for (const account of accounts) {
      const folder = join(stage.folder, 'storage', 'accounts', account);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, DOCUMENT), 'A document.');
    }
    const keyed = key === undefined ? {} : { [ENCRYPTION_VARIABLE]: key };
    const env = {
      ...{ ...stage.env, ...tokens, ...keyed, ...more },
      AUDIT_RUNNER_METRICS_ADDRESS: `127.0.0.1:${await freePort()}`,
    };
    const client = createClient(stage.temporal, keyed);
    const worker = new WorkerProcess({ ...env, LOG_LEVEL: 'trace' });
    const stand = new QuotingStand({ stage, services, client, env, worker, receiver, notices });
    await until(() => worker.output.split('account is ready').length > accounts.length);
    return stand;
  }

  /** Plays one run until it is over, or waits for a person. */
  async play(type: string, workflowId: string, input: object): Promise<void> {
    const { workflow } = this.parts.client;
    const run = await workflow.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, args: [input] });
    await until(async () => {
      if ((await run.describe()).status.name !== 'RUNNING') return true;
      const { waiting = '' } = await run.query<{ waiting?: string }>('progress').catch(() => ({ waiting: '' }));
      return /`decide`|\bperson\b/.test(waiting);
    }, PLAY_MS).catch(() => undefined);
    await run.terminate().catch(() => undefined);
  }

  /** A command, as a person calls it. */
  async command(...args: string[]): Promise<void> {
    const { AUDIT_RUNNER_METRICS_ADDRESS: _, ...env } = this.parts.env;
    const command = new WorkerProcess(env, args);
    await command.ended;
    this.terminal.push(`${args.join(' ')}\n${command.output}`);
  }

  /** Everything that outlives the calls. */
  async places(): Promise<Place[]> {
    const { stage, client, env, worker, notices } = this.parts;
    const metrics = await fetch(`http://${env.AUDIT_RUNNER_METRICS_ADDRESS}/metrics`);
    const programs = tree(worker.pid ?? 0).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    const named = placesOfFiles(join(stage.folder, 'storage')).map(({ where }) => where);
    return [
      ...(await placesOfRuns(client)),
      { where: 'names in the storage', text: named.join('\n') },
      { where: 'log', text: worker.output },
      { where: 'metrics', text: await metrics.text() },
      { where: 'notices', text: notices.join('\n') },
      { where: 'programs', text: programs.join('\n') },
      { where: 'terminal', text: this.terminal.join('\n') },
    ];
  }

  /** What of all that was quoted is in which of these places. */
  leaks(places: readonly Place[]): string[] {
    const secrets = this.services.flatMap(({ sandbox }) => [...secretsOf(sandbox)]);
    return leaks(places, new Map([...secrets, ...PERSONAL]));
  }

  async close(): Promise<void> {
    const { worker, stage, receiver } = this.parts;
    await worker.kill();
    await stage.close();
    receiver.closeAllConnections();
    receiver.close();
    for (const { front, sandbox } of this.services) {
      await front.close();
      await sandbox.close();
    }
  }
}

/** Plays on a stand of its own and closes it, whatever happens. */
export async function onStand<T>(options: StandOptions, play: (stand: QuotingStand) => Promise<T>): Promise<T> {
  const stand = await QuotingStand.open(options);
  try {
    return await play(stand);
  } finally {
    await stand.close();
  }
}

async function serviceOf(account: string, n: number): Promise<Service> {
  const sandbox = await startSandbox({
    ...{ limits: 'off', durations: { ...AT_ONCE, extraction: 20 }, seed: n + 1, leads: 40, credits: 1_000_000 },
  });
  const leads = sandbox.control.leads().filter(({ surveyStatus }) => surveyStatus === 'completed');
  const lead = () => {
    const next = leads.shift();
    if (next === undefined) throw new Error('the sandbox has too few leads for this test');
    return next.id;
  };
  return { account, sandbox, lead, front: await startQuoting(sandbox.baseUrl) };
}
