/** The log of a worker: for people at a terminal, JSON for programs everywhere else. */
import { cliFolder } from './cli';

const cli = cliFolder();
afterAll(() => cli.close());

const WORKER = `exec ${cli.called} worker`;
const env = {
  ...{ AGENT_API_BASE_URL: 'https://api.example', AGENT_API_TOKEN: `aky_${'a1B2'.repeat(8)}` },
  ...{ TEMPORAL_ADDRESS: '127.0.0.1:1' },
};

const FOR_PEOPLE = /^\[[\d :.+-]+\] INFO.*: connecting to the Temporal server$/m;

test.each([
  ['at a terminal', true, {}, true],
  ['at a terminal of a CI', true, { CI: 'true' }, false],
  ['in a pipe', false, {}, false],
])('%s', async (_, atTerminal, more, forPeople) => {
  const all = { ...env, NO_COLOR: '1', ...more };
  const worker = atTerminal ? cli.startAtTerminal(WORKER, all) : cli.start(['worker'], all);
  await worker.said('connecting to the Temporal server');
  worker.signal('SIGTERM');
  await worker.ended;
  const text = worker.stdout.replaceAll('\r\n', '\n');
  if (forPeople) expect(text).toMatch(FOR_PEOPLE);
  else {
    const [first = ''] = text.split('\n');
    expect(JSON.parse(first)).toMatchObject({
      level: 30,
      address: '127.0.0.1:1',
      msg: 'connecting to the Temporal server',
    });
  }
});
