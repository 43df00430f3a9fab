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
  const below = (prefix: string, but = /^$/) =>
    all
      .filter(({ path }) => path.startsWith(prefix) && !but.test(path))
      .map((field) => ({ ...field, path: field.path.slice(prefix.length) }));
  return page(
    'Configuration',
    'The configuration is one YAML file: `--config`, else `AUDIT_RUNNER_CONFIG`, else `audit-runner.yaml` in the current folder. Without a file there is one account, `default`, from the environment. `a.b` is the setting `b` below `a`. Commands and workers read the file when they start; budgets of accounts are read again when it changes. A **required** setting must be there wherever what it belongs to is.',
    '## General settings',
    fieldTable(below('', /^(accounts|pipelines)\.</), 'Setting'),
    '## Accounts',
    sentence(meaningOf(AccountFile)),
    `Below \`accounts.<name>\`, where you choose the name:`,
    fieldTable(below(ACCOUNTS, /\.undocumented\./), 'Setting'),
    '### What the API document does not show',
    'Only for a service that does these things otherwise than is guessed: the message of a run that cannot read a reply names the setting that corrects it. A path such as `data.balance` says where in a reply something is.',
    `Below \`accounts.<name>.undocumented\`:`,
    fieldTable(below(UNDOCUMENTED), 'Setting'),
    '## Pipelines',
    sentence(meaningOf(PipelineFile)),
    `Below \`pipelines.<name>\`, where you choose the name:`,
    fieldTable(below(PIPELINES), 'Setting'),
    '## Environment variables',
    table(
      ['Variable', 'Meaning'],
      Object.entries(VARIABLES).map(([name, meaning]) => [code(name), sentence(meaning)]),
    ),
  );
}
