/** The fields of a schema as rows of a table: what is not said by the schema itself is in no table. */
import type { z } from 'zod';
import { allowed, describable, type Node } from '../../src/inputs/allowed';
import { Account, Duration, RecordId, Reference } from '../../src/inputs/fields';
import { code, table } from './markdown';
import { withJsonAsCode } from './words';

export interface Field {
  /** As a person writes it: `a.b`, `<name>` for a name that a person chooses, `[]` for each entry of a list. */
  path: string;
  /** Empty where the schema says none. */
  meaning: string;
  allowed: string;
  default: string;
  /** What its meaning says of its default and the schema does not. */
  contradiction?: string;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const branches = (node: Node): Node[] => [node, ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].filter(isNode)];

/** More fields than this, all alike, are not listed one by one. */
const MANY = 20;

/** The fields of an object. */
const namedIn = (node: Node): [string, Node][] =>
  Object.entries(node.properties ?? {}).filter((entry): entry is [string, Node] => isNode(entry[1]));

/** What each field of an object is that has many, all alike. */
function eachOf(node: Node): Node | undefined {
  const [first, ...others] = namedIn(node).map(([, child]) => child);
  const alike = others.length >= MANY && others.every((child) => JSON.stringify(child) === JSON.stringify(first));
  return alike ? first : undefined;
}

/** What is said once for a whole page, and its short word in the tables. */
const SHORT: readonly (readonly [word: string, schema: z.ZodType])[] = [
  ['a duration', Duration],
  ['an identifier', RecordId],
  ['a reference', Reference],
  ["an account's name", Account],
];

const SHORTENED: readonly (readonly [word: string, allowed: string])[] = SHORT.map(([word, schema]) => [
  word,
  allowed(describable(schema)),
]);

/** What the short words in some tables stand for. */
export function legend(tables: string): string {
  const used = SHORTENED.filter(([word]) => tables.includes(`| ${word} |`));
  const lines = used.map(([word, long]) => `- *${word}*: ${long.replace(word, '').replace(/^:? /, '')}`);
  return `In the tables these words stand for:\n\n${lines.join('\n')}`;
}

export const fieldsOf = (schema: z.ZodType): Field[] => inside(describable(schema), '');

/** What a schema says of itself as a whole. */
export const meaningOf = (schema: z.ZodType): string => describable(schema).description ?? '';

function inside(node: Node, before: string): Field[] {
  return branches(node).flatMap((branch) => {
    if (eachOf(branch)) return [];
    const entries = isNode(branch.items) ? inside(branch.items, `${before}[]`) : [];
    const chosen = isNode(branch.additionalProperties) ? inside(branch.additionalProperties, `${before}.<name>`) : [];
    return [
      ...namedIn(branch).flatMap(([name, child]) => {
        const path = before === '' ? name : `${before}.${name}`;
        return [fieldOf(path, child, branch.required?.includes(name) ?? false), ...inside(child, path)];
      }),
      ...entries,
      ...chosen,
    ];
  });
}

function fieldOf(path: string, node: Node, required: boolean): Field {
  const { meaning, said } = split(node.description ?? '');
  const given = written(node.default);
  const contradicts = given !== undefined && said !== undefined && isPlain(node.default) && !agrees(said, given);
  return {
    path,
    meaning,
    allowed: kind(node),
    default: required && given === undefined ? REQUIRED_CELL : told(said, given),
    ...(contradicts && { contradiction: `${path} says that its default is ${said}, and it is ${given}` }),
    ...(required !== (said === REQUIRED) && node.default === undefined && said === REQUIRED
      ? { contradiction: `${path} says that it is required, and it is not` }
      : {}),
  };
}

const REQUIRED = 'required';

export const REQUIRED_CELL = '**required**';

/** A meaning may say more of a default than its value. */
const told = (said: string | undefined, given: string | undefined): string =>
  given !== undefined && (said === undefined || said.startsWith('[') || bare(said) === bare(given))
    ? given
    : (said ?? given ?? '');
const DEFAULT = /^(.*?)\s*\bDefault:? (.+)\.$/s;

/** The last sentence of a meaning may tell the default, or that there is none. */
function split(description: string): { meaning: string; said?: string } {
  if (/\bRequired\.$/.test(description)) return { meaning: description.replace(/\s*Required\.$/, ''), said: REQUIRED };
  const [, meaning, said] = DEFAULT.exec(description) ?? [];
  return meaning === undefined || said === undefined ? { meaning: description } : { meaning, said };
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
const bare = (text: string) => text.replaceAll(/['`]/g, '');
const agrees = (said: string, given: string) =>
  [said, said.split(', ')[0]].some((one) => bare(one ?? '') === bare(given));

/** A default as a person writes it; undefined where there is none, or only one that its own fields tell. */
function written(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return code('null');
  if (isPlain(value)) return code(String(value));
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((one) => code(String(one))).join(', ');
  return undefined;
}

/** What may be given: of an object whose fields have rows of their own no list of them. */
function kind(node: Node): string {
  const words = allowed(node);
  const [short] = SHORTENED.find(([, long]) => long === words) ?? [];
  if (short !== undefined) return short;
  if (typeof node.allowed === 'string') return words;
  const names = isNode(node.propertyNames) ? node.propertyNames.enum : undefined;
  if (names) return `an object with any of the fields ${names.join(', ')}`;
  const each = eachOf(node);
  if (each) return `an object, each value ${allowed(each)}`;
  if (node.type === 'object') return 'an object';
  if (words === 'another value') return 'any value';
  return words.replace('text of at least 1 character', 'text');
}

export function fieldTable(fields: readonly Field[], first = 'Field'): string {
  return table(
    [first, 'Meaning', 'Allowed', 'Default'],
    fields.map((field) => [
      code(field.path),
      withJsonAsCode(field.meaning),
      withJsonAsCode(field.allowed),
      withJsonAsCode(field.default),
    ]),
  );
}
