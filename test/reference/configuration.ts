/** `configuration.md`: the settings of the file, and the environment variables. */
import { VARIABLES } from '../../src/cli/environment';
import { PipelineFile } from '../../src/config/pipeline-file';
import { AccountFile, ConfigFile } from '../../src/config/schema';
import { type Field, fieldsOf, fieldTable, meaningOf } from './fields';
import { code, page, table } from './markdown';
import { sentence } from './words';

const ACCOUNTS = 'accounts.<name>.';
const PIPELINES = 'pipelines.<name>.';
const UNDOCUMENTED = `${ACCOUNTS}undocumented.`;

export const settings = (): Field[] => fieldsOf(ConfigFile);

export function configuration(): string {
  const all = settings();
  const below = (prefix: string) => all.filter(({ path }) => path.startsWith(prefix));
  const general = all.filter(({ path }) => !path.startsWith(ACCOUNTS) && !path.startsWith(PIPELINES));
  const account = below(ACCOUNTS).filter(({ path }) => !path.startsWith(UNDOCUMENTED));
  return page(
    'Configuration',
    'The configuration is one YAML file: `--config`, else `AUDIT_RUNNER_CONFIG`, else `audit-runner.yaml` in the current folder. Without a file there is one account, `default`, from the environment. `a.b` is the setting `b` below `a`; `<name>` stands for a name that you choose. Commands and workers read the file when they start; budgets of accounts are read again when it changes.',
    '## General settings',
    fieldTable(general, 'Setting'),
    '## Accounts',
    meaningOf(AccountFile),
    fieldTable(account, 'Setting'),
    '### What the API document does not show',
    'Only for a service that does these things otherwise than is guessed: the message of a run that cannot read a reply names the setting that corrects it. A path such as `data.balance` says where in a reply something is.',
    fieldTable(below(UNDOCUMENTED), 'Setting'),
    '## Pipelines',
    meaningOf(PipelineFile),
    fieldTable(below(PIPELINES), 'Setting'),
    '## Environment variables',
    table(
      ['Variable', 'Meaning'],
      Object.entries(VARIABLES).map(([name, meaning]) => [code(name), sentence(meaning)]),
    ),
  );
}
