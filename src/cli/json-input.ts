import { readFileSync } from 'node:fs';
import { isObject } from '../agent-api/shape';
import { expandHome } from '../system';
import { EXIT, Exit } from './exit';

/**
 * The workflow's input from the command line: JSON, or `@file` (`@-` is standard input), with `--account` put in.
 * @throws Exit with a sentence; it quotes nothing of the input (S4)
 */
export function readInputOption(given: string | undefined, account: string | undefined): unknown {
  const input = given === undefined ? {} : parse(given);
  if (account === undefined) return input;
  if (!isObject(input)) return input;
  if (input.account !== undefined && input.account !== account)
    throw new Exit(EXIT.badInput, `--account is '${account}', but the input names another account; give one of them.`);
  return { ...input, account };
}

function parse(given: string): unknown {
  const text = given.startsWith('@') ? readText(given.slice(1)) : given;
  try {
    return JSON.parse(text);
  } catch {
    const where = given.startsWith('@') ? `the file ${given.slice(1)}` : '--input';
    throw new Exit(
      EXIT.badInput,
      `${where} is not JSON. Expected one object, for example --input '{"maxConversions": 5}' or --input @input.json`,
    );
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : expandHome(file), 'utf8');
  } catch {
    throw new Exit(EXIT.badInput, `the input file ${file} cannot be read`);
  }
}
