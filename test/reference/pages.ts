/** The pages of `docs/reference/`, made from the code. */
import { join } from 'node:path';
import { packageRoot } from '../../src/temporal/package-root';
import { commandsPage } from './commands';
import { configuration } from './configuration';
import { exitCodes } from './exit-codes';
import { inputs } from './inputs';
import { page } from './markdown';
import { messages } from './messages';
import { reasonCodes } from './reason-codes';
import { searchAttributes } from './search-attributes';
import { updates } from './updates';

export const referenceFolder = (): string => join(packageRoot(), 'docs', 'reference');

interface Page {
  about: string;
  text(): string | Promise<string>;
}

const PAGES: Readonly<Record<string, Page>> = {
  'inputs.md': { about: 'what each workflow takes: every field, with its default', text: inputs },
  'configuration.md': {
    about: 'every setting of the configuration file, and the environment variables',
    text: configuration,
  },
  'commands.md': { about: 'every command and option', text: commandsPage },
  'exit-codes.md': { about: 'how commands end', text: exitCodes },
  'updates.md': { about: 'what a person can say to a run, and ask of it', text: updates },
  'messages.md': { about: 'notifications, and the types of failures', text: messages },
  'reason-codes.md': { about: 'why something was refused, skipped or left, or failed', text: reasonCodes },
  'search-attributes.md': {
    about: 'by what lists of runs are filtered, and the values of `Stage`',
    text: searchAttributes,
  },
};

const index = (): string =>
  page(
    'Reference',
    Object.entries(PAGES)
      .map(([name, { about }]) => `- [${name}](${name}): ${about}`)
      .join('\n'),
  );

/** By name of the file. */
export async function pages(): Promise<Map<string, string>> {
  const made = new Map([['index.md', index()]]);
  for (const [name, { text }] of Object.entries(PAGES)) made.set(name, await text());
  return made;
}
