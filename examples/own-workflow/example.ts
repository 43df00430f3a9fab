/** A package of its own is built, its worker started, and its workflow run beside audit-runner's. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { print } from '../../src/cli/output';
import { packageRoot } from '../../src/temporal/package-root';
import { type Example, seen } from '../example';

export const ownWorkflow: Example = {
  sandbox: { leads: 150 },
  async play({ command, own, folder, sandbox }) {
    const receiver = await startReceiver();
    try {
      const cwd = install(join(folder, 'package'));
      await own.run('npm run build', [join('node_modules', 'typescript', 'bin', 'tsc')], { cwd });
      const worker = await own.background('NOTIFY_URL=… npm run worker', ['dist/worker.js'], {
        ...{ cwd, env: { NOTIFY_URL: receiver.url } },
        ...{ ready: 'is running', log: 'package.log' },
      });
      const first = await own.run('npm start', ['dist/start.js'], { cwd });
      const second = await own.run('npm start', ['dist/start.js'], { cwd });
      await worker.stop();
      await command(['spend']);
      print(`\nThe receiver of notifications got ${receiver.bodies.join(' ')}`);

      const { conversions, creditsSpent, paidTwice } = sandbox.control.stats();
      const [, leadId = ''] = /Best lead of the week: (\S+), score/.exec(first) ?? [];
      const lead = sandbox.control.leads().find(({ id }) => id === leadId);
      seen(
        ['a package with a workflow of its own was compiled and bundled', worker.said().includes('is running')],
        ['it had the best lead of the week converted', conversions === 1 && lead?.surveyStatus === 'converted'],
        ['people were told once', receiver.bodies.length === 1 && receiver.bodies[0]?.includes(leadId) === true],
        ['started again in the same week, it did nothing', second.includes('was started before')],
        ['1000 credits were spent', creditsSpent[sandbox.userId] === 1_000 && paidTwice.length === 0],
      );
    } finally {
      receiver.close();
    }
  },
};

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

/** A copy of the package with what `npm install` would give it, from this checkout and without a registry. */
function install(to: string): string {
  const from = join(packageRoot(), 'examples', 'own-workflow');
  for (const part of ['package.json', 'tsconfig.json', 'src'])
    cpSync(join(from, part), join(to, part), { recursive: true });
  const { dependencies, devDependencies } = Manifest.parse(JSON.parse(readFileSync(join(to, 'package.json'), 'utf8')));
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = join(to, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(name === 'audit-runner' ? packageRoot() : join(packageRoot(), 'node_modules', name), link, 'junction');
  }
  print(`\nThe package is in ${to}; this checkout takes the place of \`npm install\`.`);
  return to;
}

/** Takes notifications, as a chat's webhook would. */
async function startReceiver() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
