/** S7: workers that start with a token which the service refuses do not know whose it is; the account is on hold all the same. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenFromFile } from '../../src/agent-api/token';
import { stateQuery, statusQuery } from '../../src/ledger/messages';
import { ledgerId } from '../../src/temporal/ledger-id';
import { convertLead } from '../../workflows';
import { completedLeads, onStage, type Stage, UNHURRIED } from '../support/stage';
import { until } from '../support/until';
import { cliFolder } from './cli';

const REFUSED = `aky_${'0'.repeat(32)}`;
const cli = cliFolder();
afterAll(() => cli.close());

const put = ({ folder }: Stage, token: string) => writeFileSync(join(folder, 'token'), token);
const shown = ({ env }: Stage) => cli.run(['status'], { ...env, NO_COLOR: '1' });
const ledgerOf = ({ temporal }: Stage, user: string) => temporal.client.workflow.getHandle(ledgerId(user));
const holdsOf = async (stage: Stage, user: string) =>
  (await ledgerOf(stage, user).query(statusQuery)).holds.map(({ kind }) => kind);
const convert = (stage: Stage, leadId = '') =>
  stage.temporal.client.workflow.start(convertLead, {
    ...{ workflowId: `lead-${leadId}`, taskQueue: 'audit-runner', args: [{ leadId }] },
  });
/** A worker that knows its account. */
async function workerFor(stage: Stage, user: string) {
  const worker = await stage.startWorker();
  const configuredAt = async () => {
    const status = await ledgerOf(stage, user)
      .query(statusQuery)
      .catch(() => undefined);
    return status?.configuredAt ?? 0;
  };
  await until(async () => (await configuredAt()) > 0);
  return worker;
}

test(
  'status says that the account is on hold for a token that is refused, until it is right again',
  () =>
    onStage({ sandbox: { leads: 10 }, account: { timing: UNHURRIED } }, async (stage) => {
      const { userId } = stage.sandbox;
      const worker = await workerFor(stage, userId);
      worker.stop();
      await worker.done;
      put(stage, REFUSED);
      await stage.startWorker();
      const run = await convert(stage, completedLeads(stage)[0]);
      await until(async () => (await holdsOf(stage, userId)).includes('token'));
      const { code, stdout } = await shown(stage);
      expect(stdout).toMatch(/^default: on hold since .* UTC: the service does not accept the token; .* \(401\)$/m);
      expect(code).toBe(3);
      put(stage, stage.sandbox.token);
      expect(await run.result()).toMatchObject({ outcome: 'converted' });
      await until(async () => (await holdsOf(stage, userId)).length === 0);
      expect((await shown(stage)).code).toBe(0);
    }),
  400_000,
);

test(
  'of two users whom the account has worked for, only the ledger of the later one is on hold',
  () =>
    onStage({ sandbox: { leads: 10 }, account: { timing: UNHURRIED } }, async (stage) => {
      const { userId, otherUserId, otherToken } = stage.sandbox;
      const first = await workerFor(stage, userId);
      first.stop();
      await first.done;
      put(stage, otherToken);
      const second = await workerFor(stage, otherUserId);
      second.stop();
      await second.done;
      put(stage, REFUSED);
      await stage.startWorker();
      await until(async () => (await holdsOf(stage, otherUserId)).includes('token'));
      expect(await holdsOf(stage, userId)).toEqual([]);
    }),
  400_000,
);

test(
  'a worker that starts with a bad token beside one that works does not hold the account',
  () =>
    onStage({ sandbox: { leads: 10 }, account: { timing: UNHURRIED } }, async (stage) => {
      const { userId, control } = stage.sandbox;
      await workerFor(stage, userId);
      // A file of its own: the other goes on with the token that it has.
      const tokenFile = join(stage.folder, 'other-token');
      writeFileSync(tokenFile, REFUSED, { mode: 0o600 });
      const { default: account } = stage.config.accounts;
      if (!account) throw new Error('the stage has no account');
      const refusals = () => control.stats().requests.byRoute['account.user'] ?? 0;
      const before = refusals();
      await stage.startWorker({
        ...stage.config,
        accounts: { default: { ...account, token: tokenFromFile(tokenFile) } },
      });
      await until(() => refusals() > before);
      const run = await convert(stage, completedLeads(stage)[0]);
      expect(await run.result()).toMatchObject({ outcome: 'converted' });
      const { told } = await ledgerOf(stage, userId).query(stateQuery);
      expect(told?.count ?? 0).toBe(0);
    }),
  400_000,
);
