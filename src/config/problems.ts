/** What is wrong with a configuration, in sentences for a person. */
import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { redactText } from '../redact';

/** A configuration that cannot be used. All problems at once, one a line; no line holds a token (S4). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const lines = problems.map(redactText);
    super(`the configuration cannot be used:\n${lines.map((line) => `  - ${line}`).join('\n')}`);
    this.problems = lines;
  }
}

type Path = readonly PropertyKey[];

/** The schema at a path, through optional and default wrappers. */
function schemaAt(schema: unknown, path: Path): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schemaAt(schema.unwrap(), path);
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return schemaAt(schema.unwrap(), path);
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  if (schema instanceof z.ZodRecord) return schemaAt(schema.valueType, rest);
  return schema instanceof z.ZodObject ? schemaAt(schema.shape[String(key)], rest) : undefined;
}

const at = (path: Path) => path.map(String).join('.');

function unknownKey(schema: z.ZodType, path: Path, key: string): string {
  const where = at([...path, key]);
  if (key === 'token') return `${where}: a token does not belong in a configuration file; name its file with tokenFile`;
  const object = schemaAt(schema, path);
  const known = object instanceof z.ZodObject ? Object.keys(object.shape) : [];
  const nearest = closest(key, known);
  const near = known.length > 0 && distance(key, nearest) <= Math.max(2, key.length / 2);
  return `${where}: there is no such setting; ${near ? `did you mean ${nearest}?` : `there are ${known.join(', ')}`}`;
}

/** One sentence for each problem. `schema` is what was parsed with; it gives the right names for wrong ones. */
export function sentences(schema: z.ZodType, error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(schema, issue.path, key));
    if (issue.code === 'invalid_key')
      return [`${at(issue.path)}: ${issue.issues.map(({ message }) => message).join(', ')}`];
    const message = issue.message.replace(/^Invalid input: /, '');
    return [`${at(issue.path) || 'the file'}: ${message}`];
  });
}
