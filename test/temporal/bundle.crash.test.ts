import { randomBytes } from 'node:crypto';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { bundleWorkflows, workflowBundlePath } from '../../src/temporal/bundle';
import { dataConverter } from '../../src/temporal/encryption';
import { ENCRYPTION_VARIABLE } from '../../src/temporal/encryption-keys';
import { packageRoot } from '../../src/temporal/package-root';
import { allProblems } from '../inputs/wrong-inputs';
import { startTestTemporal, type TestTemporal } from '../support/temporal';
import { remove, temporaryFolder } from './support';

const SECRET = 'anna@prospect.example';
let folder: string;
let temporal: TestTemporal;
beforeAll(async () => {
  [folder, temporal] = await Promise.all([temporaryFolder(), startTestTemporal()]);
  await symlink(path.join(packageRoot(), 'node_modules'), path.join(folder, 'node_modules'));
});
afterAll(async () => {
  await temporal.close();
  await remove(folder);
});

async function workflows(code: string): Promise<string> {
  const file = path.join(folder, 'workflows.js');
  await writeFile(file, code);
  return file;
}

const FAILS = `
  const { ApplicationFailure } = require('@temporalio/workflow');
  const { z } = require('zod');
  exports.fails = async (input) => {
    throw ApplicationFailure.nonRetryable('for ' + z.strictObject({ email: z.string() }).parse(input).email, 'Refused');
  };`;

/** Runs the workflow and returns what the server has stored of its failure, and what a client reads. */
async function failure(codePath: string, env: Record<string, string>) {
  const { namespace, connection, nativeConnection } = temporal;
  const converter = dataConverter(env, namespace);
  const options = converter ? { dataConverter: converter } : {};
  const workflowBundle = { codePath };
  const taskQueue = path.basename(codePath);
  const worker = await Worker.create({
    connection: nativeConnection,
    namespace,
    taskQueue,
    workflowBundle,
    ...options,
  });
  const client = new Client({ connection, namespace, ...options });
  const workflowId = taskQueue;
  const read = await worker.runUntil(
    client.workflow
      .execute('fails', { workflowId, taskQueue, args: [{ email: SECRET }] })
      .catch((error: unknown) => (error instanceof Error && error.cause instanceof Error ? error.cause.message : '')),
  );
  const { history } = await connection.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId },
  });
  const stored = history?.events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
  return { read, message: stored?.message, payload: Buffer.from(stored?.encodedAttributes?.data ?? []) };
}

test('S4: with a key, the failure of a workflow is stored encrypted; without one, operators read it', async () => {
  const [plain = '', encrypted = ''] = await bundleWorkflows(await workflows(FAILS), folder);
  await expect(failure(plain, {})).resolves.toMatchObject({ read: `for ${SECRET}`, message: `for ${SECRET}` });
  const sealed = await failure(encrypted, { [ENCRYPTION_VARIABLE]: randomBytes(32).toString('base64') });
  expect(sealed.read).toBe(`for ${SECRET}`);
  expect(sealed.message).toBe('Encoded failure');
  expect(sealed.payload.length).toBeGreaterThan(0);
  expect(sealed.payload.includes(SECRET)).toBe(false);
});

test.each(['fs', 'node:crypto'])('does not bundle workflows that import %s', async (builtin) => {
  const file = await workflows(`const m = require('${builtin}'); exports.w = async () => m;`);
  await expect(bundleWorkflows(file, folder)).rejects.toThrow(builtin.replace('node:', ''));
});

/** Two runs at once, since zod is shared by all runs of a process and frozen. */
test('inside the sandbox every wrong field of every input is told in the same sentence as outside', async () => {
  const { namespace, connection, nativeConnection } = temporal;
  const [codePath = ''] = await bundleWorkflows(path.join(__dirname, 'fixtures', 'reads-inputs.ts'), folder);
  const taskQueue = 'reads-inputs';
  const worker = await Worker.create({
    ...{ connection: nativeConnection, namespace, taskQueue, workflowBundle: { codePath } },
  });
  const client = new Client({ connection, namespace });
  // One task reads them all: on a busy machine it takes longer than the ten seconds that a task has.
  const time = { workflowTaskTimeout: '1 minute', workflowRunTimeout: '2 minutes' } as const;
  const run = (workflowId: string) =>
    client.workflow.execute('readsInputs', { workflowId, taskQueue, args: [], ...time });
  const [first, second] = await worker.runUntil(Promise.all([run('reads-inputs.1'), run('reads-inputs.2')]));
  expect(first).toEqual(allProblems());
  expect(second).toEqual(first);
});

test('the bundle that workers load has what workflows need, and no more', async () => {
  const modules = sources(await readFile(workflowBundlePath({}), 'utf8'));
  const ours = modules.filter(
    (file) => !/^(ignored\|)?(node_modules|webpack)\//.test(file) && !file.includes('autogenerated'),
  );
  expect(ours.filter((file) => path.isAbsolute(file))).toEqual([]);
  // Each of these is evaluated anew for each run; above all the table of routes must not be among them.
  const rooms = /^(workflows|src\/(audits|batches|captures|inputs|leads|ledger|paying|runs|text|time))\//;
  expect(ours.filter((file) => !rooms.test(file)).sort()).toEqual([
    'src/agent-api/credits.ts',
    'src/agent-api/id.ts',
    'src/agent-api/limiter.ts',
    'src/agent-api/rate-class.ts',
    'src/redact.ts',
    'src/storage/account-folder.ts',
    'src/temporal/queues.ts',
    'src/temporal/search-attribute-keys.ts',
  ]);
  expect(ours).toContain('src/inputs/preload.ts');
  expect(modules.filter((file) => /zod.v4.locales/.test(file)).map((file) => path.parse(file).name)).toEqual(['en']);
});

/** The modules that a bundle was made of, from its source map. */
function sources(code: string): string[] {
  const map: { sources: string[] } = JSON.parse(
    Buffer.from(code.slice(code.lastIndexOf('base64,') + 'base64,'.length), 'base64').toString(),
  );
  return map.sources.map((file) => file.replace(/^webpack:\/\//, ''));
}

test('the worker loads the bundle that goes with its encryption', () => {
  const dist = path.join(packageRoot(), 'dist');
  expect(workflowBundlePath({})).toBe(path.join(dist, 'workflow-bundle.js'));
  const key = randomBytes(32).toString('base64');
  expect(workflowBundlePath({ [ENCRYPTION_VARIABLE]: key })).toBe(path.join(dist, 'workflow-bundle.encrypted.js'));
});
