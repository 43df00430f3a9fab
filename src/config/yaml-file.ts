/** The configuration file as it is written, before anything in it is checked. */
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { isObject } from '../agent-api/shape';
import { ConfigError } from './problems';

/** @throws ConfigError that never quotes the file (S4) */
export function readYaml(path: string): object {
  // Only the first line of a message: the rest quotes the file.
  const problem = ({ message }: Error) => `${path}: ${message.split('\n')[0]}`;
  let content: unknown;
  try {
    const document = parseDocument(readFileSync(path, 'utf8'));
    if (document.errors.length > 0) throw new ConfigError(document.errors.map(problem));
    content = document.toJS() ?? {};
  } catch (error) {
    throw error instanceof Error && !(error instanceof ConfigError) ? new ConfigError([problem(error)]) : error;
  }
  if (isObject(content)) return content;
  throw new ConfigError([`${path}: expected settings such as 'accounts:', found something else`]);
}
