/**
 * Before the first test: one Temporal server for the run. Each test file has namespaces of its own on it. With
 * `TEST_TEMPORAL=compose` it is the server of docker-compose.yml on PostgreSQL, in the version of `TEMPORAL_VERSION`.
 */
import { writeFileSync } from 'node:fs';
import { startServer } from '../../src/dev-server/server';
import { startProduction } from '../topology/support/production';

interface TestServer {
  readonly address: string;
  stop(): Promise<void>;
}

declare global {
  // What jest's teardown, which is another module, ends.
  var testTemporalServer: TestServer | undefined;
}

// Past jest's console, which would add where each line was written: building the server takes minutes, and says so.
const log = (line: string): void => writeFileSync(2, `${line}\n`);

function ofDevelopment(): Promise<TestServer> {
  // It lives for minutes on a machine with memory enough: it need not collect its garbage as often as by default.
  const env = { ...process.env, GOGC: '400' };
  // Tests' clocks run faster than those of production, where a timer may be a second late.
  const dynamicConfig = ['history.timerProcessorMaxTimeShift="20ms"'];
  return startServer({ env, dynamicConfig, log });
}

export default async function up(): Promise<void> {
  const server = await (process.env.TEST_TEMPORAL === 'compose' ? startProduction({ log }) : ofDevelopment());
  globalThis.testTemporalServer = server;
  // Inherited by the processes that run the tests.
  process.env.TEST_TEMPORAL_ADDRESS = server.address;
}
