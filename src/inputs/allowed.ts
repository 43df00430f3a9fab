/** What a schema allows, in words; read from the JSON Schema that zod makes of it, so that no schema is described twice. */
import { z } from 'zod';

/** A node of a JSON Schema. */
export type Node = z.core.JSONSchema.BaseSchema;

/** The schema of what a person writes: before defaults and transformations. */
export const describable = (schema: z.ZodType): Node => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const branches = (node: Node): Node[] => [node, ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].filter(isNode)];

/** The nodes that describe the value at a path: several where branches of a union all know it. */
export function nodesAt(root: Node, path: readonly PropertyKey[]): Node[] {
  let nodes = [root];
  for (const key of path)
    nodes = nodes
      .flatMap(branches)
      .map((node) =>
        typeof key === 'number' ? node.items : (node.properties?.[String(key)] ?? node.additionalProperties),
      )
      .filter(isNode);
  return nodes;
}

/** The names of the fields that an object at a path may have. */
export function fieldsAt(root: Node, path: readonly PropertyKey[]): string[] {
  return nodesAt(root, path)
    .flatMap(branches)
    .flatMap((node) => Object.keys(node.properties ?? {}));
}

/** The paths of all fields, those of inner objects included; entries of lists are not fields. */
export function allFields(node: Node, path: readonly string[] = []): string[][] {
  return branches(node)
    .flatMap(({ properties }) => Object.entries(properties ?? {}))
    .flatMap(([key, child]) => [[...path, key], ...(isNode(child) ? allFields(child, [...path, key]) : [])]);
}

/** 'a, b or c'. */
export const either = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** A noun phrase for what a node allows: its own `allowed`, or one made from its type and bounds. */
export function allowed(node: Node): string {
  if (typeof node.allowed === 'string') return node.allowed;
  if (node.const !== undefined) return literal(node.const);
  if (node.enum) return either(node.enum.map(literal));
  const options = branches(node).slice(1);
  if (options.length > 0) return either([...new Set(options.map(allowed))]);
  switch (node.type) {
    case 'integer':
      return `a whole number${range(node)}`;
    case 'number':
      return `a number${range(node)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return text(node);
    case 'array':
      return list(node);
    case 'object':
      return object(node);
    case 'null':
      return 'null';
    default:
      return 'another value';
  }
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

/** A bound that only says how far numbers are exact is not one that a person set. */
const bound = (value: number | undefined) =>
  value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? undefined : value;

function range(node: Node): string {
  const least = bound(node.minimum);
  const most = bound(node.maximum);
  const words = [
    least !== undefined && most !== undefined ? `from ${least} to ${most}` : undefined,
    least !== undefined && most === undefined ? `of at least ${least}` : undefined,
    least === undefined && most !== undefined ? `of at most ${most}` : undefined,
    node.exclusiveMinimum !== undefined ? `above ${node.exclusiveMinimum}` : undefined,
    node.exclusiveMaximum !== undefined ? `below ${node.exclusiveMaximum}` : undefined,
    node.multipleOf !== undefined ? `in steps of ${node.multipleOf}` : undefined,
  ].filter((word) => word !== undefined);
  return words.length > 0 ? ` ${words.join(' and ')}` : '';
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "a UUID such as '3f2b8c1e-5a7d-4e90-8b1c-2d3e4f5a6b7c'",
  'date-time': "a date-time such as '2026-01-31T08:00:00Z'",
  date: "a date such as '2026-01-31'",
  email: 'an e-mail address',
  uri: 'an address (URL)',
};

function text(node: Node): string {
  const format = node.format === undefined ? undefined : FORMATS[node.format];
  return format ?? `text${size(node.minLength, node.maxLength, 'character')}`;
}

function list(node: Node): string {
  const entries = isNode(node.items) ? `, each ${allowed(node.items)}` : '';
  return `a list${size(node.minItems, node.maxItems, 'entry')}${entries}`;
}

function object(node: Node): string {
  const fields = Object.keys(node.properties ?? {});
  return fields.length > 0 ? `an object with the fields ${fields.join(', ')}` : 'an object';
}

function size(least: number | undefined, most: number | undefined, noun: 'character' | 'entry'): string {
  const plural = noun === 'entry' ? 'entries' : 'characters';
  if (least !== undefined && least === most) return ` of ${least} ${least === 1 ? noun : plural}`;
  if (least !== undefined && most !== undefined) return ` of ${least} to ${most} ${plural}`;
  if (least !== undefined) return ` of at least ${least} ${least === 1 ? noun : plural}`;
  return most === undefined ? '' : ` of at most ${most} ${most === 1 ? noun : plural}`;
}
