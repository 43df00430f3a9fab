/** What the tests of `callApi` have in common. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RouteName } from '../../src/agent-api/routes';
import { statusQuery } from '../../src/ledger/messages';
import { variantOverrides } from '../../src/sandbox';
import type { FaultRule } from '../../src/sandbox/options';
import { callApi } from '../../workflows';
import { progressQuery } from '../../workflows/shared/status';
import { readable } from '../e2e/support/leaks';
import { QUICK, type Stage, startStage } from '../support/stage';
import { until } from '../support/until';

type Input = Parameters<typeof callApi>[0];
export type Fault = Partial<FaultRule> & Pick<FaultRule, 'fault'>;

let runs = 0;

/** Opens a stage of its own for the tests of a `describe` or a file. */
export function useStage(variant: 'a' | 'b') {
  let stage: Stage;
  beforeAll(async () => {
    const undocumented = variant === 'b' && { undocumented: { ...variantOverrides } };
    stage = await startStage({
      sandbox: { variant },
      account: {
        // The API cannot be looked at: one call that a busy machine lets time out is a question to a person.
        timing: { ...QUICK.timing, sendWindowMs: 3_000, paidTimeoutMs: 5_000 },
        credits: { 'memories.create': 300 },
        callApi: { allow: ['*', 'contacts.delete'] },
        ...undocumented,
      },
    });
    await stage.startWorker();
  });
  afterAll(() => stage.close());

  const start = (input: Input, workflowId = `call-${++runs}`) =>
    stage.temporal.client.workflow.start(callApi, { workflowId, taskQueue: 'audit-runner', args: [input] });
  const call = async (input: Input) => (await start(input)).result();
  const calls = (route: RouteName) => stage.sandbox.control.stats().requests.byRoute[route] ?? 0;
  const fault = (route: RouteName, what: Fault) => stage.sandbox.control.addFault({ route, ...what });
  const stored = (ref = '') => readFileSync(join(fileURLToPath(stage.config.storageUrl), ref), 'utf8');
  /** What the service itself says of the contacts, as text. */
  const contacts = async () => {
    const url = `${stage.sandbox.baseUrl}/api/nucleus/contacts`;
    return (await fetch(url, { headers: { authorization: `Bearer ${stage.sandbox.token}` } })).text();
  };
  const timesThere = async (email = '') => (await contacts()).split(email).length - 1;
  /** A contact that nobody else has. */
  const contact = () => ({ name: `Prospect ${++runs}`, email: `prospect-${runs}@example.com` });
  const create = (body: { name: string; email: string }, more: object = {}): Input => ({
    ...{ route: 'contacts.create', body },
    ...more,
  });
  const waitsFor = (run: Awaited<ReturnType<typeof start>>, word: string) =>
    until(async () => (await run.query(progressQuery)).waiting?.includes(word) === true);
  const eventsWith = async (run: Awaited<ReturnType<typeof start>>, secret: string) => {
    const { events } = await run.fetchHistory();
    return (events ?? []).flatMap((event, i) => (readable(event).includes(secret) ? [i + 1] : []));
  };
  /** Waits until the ledger has given up what nobody settled. */
  const ledgerGivesUp = () =>
    until(async () => {
      const { open } = await stage.temporal.client.workflow.getHandle(stage.ledgerId).query(statusQuery);
      return open.length === 0;
    });
  return {
    get stage() {
      return stage;
    },
    ...{ start, call, calls, fault, stored, timesThere, contact, create, waitsFor, eventsWith, ledgerGivesUp },
  };
}
