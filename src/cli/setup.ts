/** `audit-runner setup`: makes a namespace of Temporal ready, and the page of the Web UI from which runs are started. */
import { exampleAccount } from '../start-here/example-inputs';
import { keepExamples } from '../start-here/examples';
import { ensureStartHere, START_HERE } from '../start-here/keep';
import { exampleForm } from '../start-here/start-page';
import { ensureQueueLimits } from '../temporal/queue-limits';
import { searchAttributeKeys } from '../temporal/search-attribute-keys';
import { EXIT } from './exit';
import { print, printJson, table, tell } from './output';
import { pageOf, withServer } from './server';
import { workableConfig } from './worker';

export interface SetupOptions {
  config?: string;
  json?: boolean;
}

/** What was made ready. */
interface Ready {
  namespace: string;
  searchAttributes: string[];
  /** Accounts whose queues have their limits. */
  accounts: string[];
  /**
   * Where it is: `address` stays the same, `page` shows at once what there is to start, until the run continues as new after some
   * days. Absent where nobody said where the Web UI is (`TEMPORAL_UI_URL`).
   */
  startHere: { workflowId: string; address?: string; page?: string };
  /** Example runs by workflow type, and the address of the start form that copies each. */
  examples: Record<string, { runId: string; renewed: boolean; form?: string }>;
  /** What the server does not let us do, one sentence each. */
  warnings: string[];
}

export async function setupCommand({ config: file, json }: SetupOptions): Promise<number> {
  const { accounts } = workableConfig(file);
  return withServer('writes', async (reached) => {
    const { client, connection, namespace, unregistered } = reached;
    const { uiUrl } = reached.server;
    const warnings = [unregistered];
    for (const { name, limits } of Object.values(accounts))
      warnings.push(...(await ensureQueueLimits(connection, namespace, name, limits)));
    const runId = await ensureStartHere(client);
    const [address, page] = [pageOf(reached, START_HERE), pageOf(reached, START_HERE, runId)];
    const { runs, renewed } = await keepExamples(client, exampleAccount(Object.keys(accounts)));
    const examples = Object.entries(runs).map(([type, runId]) => {
      const form = uiUrl && `${uiUrl}/${exampleForm(namespace, { type, runId })}`;
      return [type, { runId, renewed: renewed.includes(type), ...(form && { form }) }] as const;
    });
    const ready: Ready = {
      namespace,
      searchAttributes: Object.values(searchAttributeKeys).map(({ name }) => name),
      accounts: Object.keys(accounts),
      startHere: { workflowId: START_HERE, ...(address && { address }), ...(page && { page }) },
      examples: Object.fromEntries(examples),
      warnings: warnings.filter((warning) => warning !== undefined),
    };
    if (json) printJson(ready);
    else show(ready);
    return ready.warnings.length > 0 ? EXIT.notAllDone : EXIT.done;
  });
}

function show({ namespace, searchAttributes, accounts, startHere, examples, warnings }: Ready): void {
  const lines = [
    `namespace          ${namespace}`,
    `search attributes  ${searchAttributes.join(', ')}`,
    `queue limits       of ${accounts.join(', ')}`,
    `start here         ${startHere.page ?? `run ${startHere.workflowId}, tab 'User Metadata'`}`,
    ...(startHere.address ? [`to keep            ${startHere.address} (tab 'User Metadata')`] : []),
    '',
    table(
      ['example', '', 'start form'],
      Object.entries(examples).map(([type, { renewed, form }]) => [type, renewed ? 'made' : 'there', form]),
    ),
  ];
  print(lines.join('\n'));
  for (const warning of warnings) tell(warning);
  if (!startHere.address) tell('Set TEMPORAL_UI_URL to where the Web UI is, to have addresses.');
}
