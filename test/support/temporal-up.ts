/** Before the first test: one Temporal server for the run, in memory. Each test file has namespaces of its own on it. */
import { writeFileSync } from 'node:fs';
import { type OwnServer, startServer } from '../../src/dev-server/server';

declare global {
  // What jest's teardown, which is another module, ends.
  var testTemporalServer: OwnServer | undefined;
}

export default async function up(): Promise<void> {
  // Past jest's console, which would add where each line was written: building the server takes minutes, and says so.
  // It lives for minutes on a machine with memory enough: it need not collect its garbage as often as by default.
  const env = { ...process.env, GOGC: '400' };
  // Tests' clocks run faster than those of production, where a timer may be a second late.
  const dynamicConfig = ['history.timerProcessorMaxTimeShift="20ms"'];
  const server = await startServer({ env, dynamicConfig, log: (line) => writeFileSync(2, `${line}\n`) });
  globalThis.testTemporalServer = server;
  // Inherited by the processes that run the tests.
  process.env.TEST_TEMPORAL_ADDRESS = server.address;
}
