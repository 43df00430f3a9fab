import { z } from 'zod';
import { badRequest, found, ok } from '../refusal';
import type { Loose, User } from '../rows';
import type { Call, Service } from '../service';

/** The tables whose records are kept as they are written. */
export type LooseKind = 'links' | 'memories' | 'contacts' | 'insights' | 'suggestions';

const Fields = z.record(z.string(), z.unknown());

/** The JSON object of a body. @throws 400 */
export function fieldsOf(body: unknown): Record<string, unknown> {
  const parsed = Fields.safeParse(body);
  if (!parsed.success) throw badRequest('The body must be a JSON object');
  const { id: _, userId: __, createdAt: ___, updatedAt: ____, ...fields } = parsed.data;
  return fields;
}

/**
 * Reading, changing and deleting records of which the document shows few fields or none.
 * @param singular Name under which a variant may wrap one record; `plural` a list.
 */
export function looseHandlers(
  { store, shapes, clock, seeder }: Service,
  kind: LooseKind,
  { singular, plural, view }: { singular: string; plural: string; view: (row: Loose) => object },
) {
  const table = store[kind];
  const rowOf = ({ user, id }: { user: User; id: string }) => found(table.get(user.id, id), singular);
  return {
    view,
    list: ({ user }: Call) => ok(shapes.many(plural, table.all(user.id).map(view))),
    get: (call: Call) => ok(shapes.one(singular, view(rowOf(call)))),
    create: ({ user, body }: Call, required: readonly string[]) => {
      const fields = fieldsOf(body);
      const missing = required.filter((name) => typeof fields[name] !== 'string' || fields[name] === '');
      if (missing.length > 0) throw badRequest(`Missing: ${missing.join(', ')}`);
      return ok(shapes.one(singular, view(seeder.loose(user.id, kind, fields))), 201);
    },
    update: (call: Call) => {
      const row = rowOf(call);
      const fields = fieldsOf(call.body);
      if (Object.keys(fields).length === 0) throw badRequest('Nothing to change');
      row.fields = { ...row.fields, ...fields };
      row.updatedAt = clock.iso();
      return ok(shapes.one(singular, view(row)));
    },
    delete: ({ user, id }: Call) => {
      if (!table.remove(user.id, id)) rowOf({ user, id });
      return shapes.deleted();
    },
  };
}

/** A record with the fields that every record has. */
export const plainView = ({ id, createdAt, updatedAt, fields }: Loose) => ({ id, ...fields, createdAt, updatedAt });
