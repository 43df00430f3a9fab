/** Ledgers of a test's own, and their end. */
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Account, Config } from '../../src/config';
import { LedgerClient } from '../../src/temporal/ledger-client';
import { ledgerId } from '../../src/temporal/ledger-id';
import type { Stage } from './stage';
import { until } from './until';

/** The configuration with an account more for each name, whose ledger goes by that name: {@link ledgerOf}. */
export function withAccounts(config: Config, names: readonly string[], more: Partial<Account> = {}): Config {
  const { default: own } = config.accounts;
  if (!own) throw new Error('the stage has no account');
  const undocumented = { ...own.undocumented, account: { ...own.undocumented.account, userId: null } };
  const others = names.map((name) => [name, { ...own, undocumented, ...more, name }]);
  return { ...config, accounts: { ...config.accounts, ...Object.fromEntries(others) } };
}

/** How this process asks the ledger of an account of {@link withAccounts}. */
export function ledgerOf({ temporal }: Pick<Stage, 'temporal'>, { accounts }: Config, name: string): LedgerClient {
  const account = accounts[name];
  if (!account) throw new Error(`there is no account ${name}`);
  const { timing, budget, timeZone } = account;
  return new LedgerClient(temporal.client, ledgerId(`by-name-${name}`), {
    ...{ account: name, timing, budget: { ...budget, timeZone }, probeEveryMs: timing.holdProbeMs },
  });
}

/** Nothing is left of a run, in lists neither. A running one is gone at once, a closed one half a minute later. */
export async function deleteRun({ temporal }: Pick<Stage, 'temporal'>, workflowId: string): Promise<void> {
  const { client, namespace } = temporal;
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } });
  await until(() =>
    client.workflow
      .getHandle(workflowId, runId)
      .describe()
      .then(
        () => false,
        (error) => error instanceof WorkflowNotFoundError,
      ),
  );
  await until(async () => (await client.workflow.count(`RunId = '${runId}'`)).count === 0);
}
