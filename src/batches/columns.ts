/** From the columns of a file to the fields of an operation's input. Pure. */
import { allFields, describable, type Node, nodesAt } from '../inputs/allowed';
import { itemFields, itemSchemas, type Operation } from '../inputs/backfill';
import { kindOf } from '../inputs/problem-words';

/** Which column is which field (`project.clientName`). */
export type Columns = Readonly<Record<string, string>>;

export interface Mapping {
  /** Of the columns that are read. */
  readonly columns: ReadonlyMap<string, Field>;
  /** What is wrong, one sentence each: then no row can be read. */
  readonly problems: readonly string[];
  /** Columns that no field takes. */
  readonly ignored: readonly string[];
}

interface Field {
  readonly path: readonly string[];
  /** A text of a CSV cell as the kind of value that the field has. */
  readonly read: (cell: string) => unknown;
}

/** Entries of a list in one cell. */
const SEPARATOR = ';';

/**
 * @param header the columns that the file has; undefined for JSON Lines, where each row has its own
 * @param columns what the input says of them
 */
export function mapColumns(operation: Operation, header: readonly string[] | undefined, columns?: Columns): Mapping {
  const root = describable(itemSchemas[operation]);
  const fields = new Map(
    allFields(root)
      .filter(([first]) => itemFields(operation).includes(first ?? ''))
      .map((path) => [path.join('.'), { path, read: reader(nodesAt(root, path)) }]),
  );
  const wanted = Object.entries(columns ?? Object.fromEntries((header ?? []).map((name) => [name, name])));
  const problems: string[] = [];
  const mapped = new Map<string, Field>();
  // By their places: a file without a header has a row of somebody's data there, and the input may name it (S4).
  for (const [i, [column, name]] of wanted.entries()) {
    const field = fields.get(name);
    if (header && !header.includes(column))
      problems.push(
        `file.columns[field ${i + 1}] is none of the ${header.length} columns that the first line of the file, its header, names.`,
      );
    else if (field) mapped.set(column, field);
    else if (columns)
      problems.push(
        `file.columns[field ${i + 1}] was given ${kindOf(name)}, which is no field of ${operation}: ${[...fields.keys()].join(', ')}.`,
      );
  }
  if (header && mapped.size === 0 && problems.length === 0)
    problems.push(
      `none of the ${header.length} columns that the first line of the file, its header, names is called as a field of ` +
        `${operation}: ${[...fields.keys()].join(', ')}; put a header there, or say in file.columns which is which.`,
    );
  const ignored = (header ?? []).filter((name) => !mapped.has(name));
  return { columns: mapped, problems, ignored };
}

/** A row of the file as the fields of an input. */
export function applyColumns(mapping: Mapping, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [column, { path, read }] of mapping.columns) {
    const cell = Object.hasOwn(row, column) ? row[column] : undefined;
    if (cell !== undefined) put(values, path, typeof cell === 'string' ? read(cell) : cell);
  }
  return values;
}

function put(target: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const inner: Record<string, unknown> = { ...Object(target[key]) };
  put(inner, rest, value);
  target[key] = inner;
}

function reader(nodes: readonly Node[]): Field['read'] {
  const types = nodes.flatMap((node) => node.type ?? []);
  if (types.includes('string')) return (cell) => cell;
  if (types.includes('integer') || types.includes('number'))
    return (cell) => (/^\s*-?\d+(\.\d+)?\s*$/.test(cell) ? Number(cell) : cell);
  if (types.includes('boolean'))
    return (cell) => (/^\s*true\s*$/i.test(cell) ? true : /^\s*false\s*$/i.test(cell) ? false : cell);
  if (types.includes('array'))
    return (cell) =>
      cell
        .split(SEPARATOR)
        .map((part) => part.trim())
        .filter((part) => part !== '');
  return (cell) => cell;
}
