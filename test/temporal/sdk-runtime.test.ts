/** The address of the metrics: one where nothing can listen is a mistake of the configuration. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { ConfigError } from '../../src/config/problems';
import { installSdkRuntime } from '../../src/temporal/sdk-runtime';

const log = pino({ level: 'silent' });
function problemsAt(address: string): readonly string[] {
  try {
    installSdkRuntime(log, address);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test.each(['localhost:9464', ':9464', '127.0.0.1', '0.0.0.0:99999'])('%s is told as no address', (address) => {
  expect(problemsAt(address)).toEqual([
    `AUDIT_RUNNER_METRICS_ADDRESS: nothing can listen at ${address} (it is no IP address and port such as 0.0.0.0:9464)`,
  ]);
});

test('a port that is taken is named with its variable', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  const problems = problemsAt(address);
  await new Promise((resolve) => other.close(resolve));
  expect(problems).toEqual([
    expect.stringMatching(`^AUDIT_RUNNER_METRICS_ADDRESS: nothing can listen at ${address} \\(Address already in use`),
  ]);
});
