/** The fields of a schema as rows of a table: what is not said by the schema itself is in no table. */
import type { z } from 'zod';
import { allowed, describable, type Node } from '../../src/inputs/allowed';
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

/** More fields than this that nothing is said of, and that are all alike, are one row. */
const MANY = 20;

export const fieldsOf = (schema: z.ZodType): Field[] => inside(describable(schema), '');

/** What a schema says of itself as a whole. */
export const meaningOf = (schema: z.ZodType): string => describable(schema).description ?? '';

function inside(node: Node, before: string): Field[] {
  return branches(node).flatMap((branch) => {
    const named = Object.entries(branch.properties ?? {}).filter((entry): entry is [string, Node] => isNode(entry[1]));
    const [first, ...others] = named;
    const entries = isNode(branch.items) ? inside(branch.items, `${before}[]`) : [];
    if (first && named.length > MANY && others.every(([, child]) => JSON.stringify(child) === JSON.stringify(first[1])))
      return [];
    const chosen = isNode(branch.additionalProperties) ? inside(branch.additionalProperties, `${before}.<name>`) : [];
    return [
      ...named.flatMap(([name, child]) => {
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
    default: required && given === undefined ? '**required**' : (said ?? given ?? ''),
    ...(contradicts && { contradiction: `${path} says that its default is ${said}, and it is ${given}` }),
    ...(required !== (said === REQUIRED) && node.default === undefined && said === REQUIRED
      ? { contradiction: `${path} says that it is required, and it is not` }
      : {}),
  };
}

const REQUIRED = 'required';
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
  if (typeof node.allowed === 'string') return node.allowed;
  const names = isNode(node.propertyNames) ? node.propertyNames.enum : undefined;
  if (names) return `an object with any of the fields ${names.join(', ')}`;
  if (node.type === 'object') return 'an object';
  if (node.type === 'array' && isNode(node.items) && node.items.type === 'object') return 'a list of objects';
  const words = allowed(node);
  return words === 'another value' ? 'any value' : words;
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
