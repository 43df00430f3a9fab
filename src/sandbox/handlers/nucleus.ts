import { z } from 'zod';
import { badRequest, ok } from '../refusal';
import type { Loose } from '../rows';
import type { HandlersOf, Service } from '../service';
import { fieldsOf, looseHandlers, plainView } from './records';

const RELATIONSHIPS = z.enum(['client', 'prospect', 'partner', 'referral']).nullable().catch(null);

/** agent-api.md, "Memory layer": memories, contacts, insights, suggestions. */
export function nucleusHandlers(
  service: Service,
): HandlersOf<'memories'> & HandlersOf<'contacts'> & HandlersOf<'insights'> & HandlersOf<'suggestions'> {
  const { shapes, seeder } = service;
  const memories = looseHandlers(service, 'memories', {
    singular: 'memory',
    plural: 'memories',
    view: ({ id, userId, createdAt, updatedAt, fields }) => ({
      id,
      userId,
      confidence: 1,
      timesRetrieved: 0,
      ...shapes.memory({ sourceType: 'explicit', ...fields }),
      createdAt,
      updatedAt,
    }),
  });
  const contacts = looseHandlers(service, 'contacts', { singular: 'contact', plural: 'contacts', view: contactView });
  const insights = looseHandlers(service, 'insights', { singular: 'insight', plural: 'insights', view: plainView });
  const suggestions = looseHandlers(service, 'suggestions', {
    singular: 'suggestion',
    plural: 'suggestions',
    view: plainView,
  });
  return {
    // Documented, so the same in both variants: `{ memories }`.
    'memories.list': ({ user, query }) => {
      const type = query.choice('type', ['client', 'pattern', 'preference']);
      const typeOf = ({ fields }: Loose) => fields.type ?? fields[shapes.names.memoriesList.type];
      const rows = service.store.memories.all(user.id).filter((row) => type === undefined || typeOf(row) === type);
      return ok({ memories: rows.map(memories.view) });
    },
    'memories.get': memories.get,
    'memories.create': (call) => memories.create(call, ['subject', 'content']),
    'memories.update': memories.update,
    'memories.delete': memories.delete,
    'contacts.list': contacts.list,
    'contacts.get': contacts.get,
    // Documented: 201 with the contact itself, and an unknown relationshipType silently becomes null.
    'contacts.create': ({ user, body }) => {
      const fields = fieldsOf(body);
      const name = z.string().trim().min(1).safeParse(fields.name);
      if (!name.success) throw badRequest('name is required');
      const email = z.email().optional().safeParse(fields.email);
      if (!email.success) throw badRequest('email is not valid');
      return ok(contactView(seeder.loose(user.id, 'contacts', { ...fields, name: name.data })), 201);
    },
    'contacts.update': contacts.update,
    'contacts.delete': contacts.delete,
    'insights.list': insights.list,
    'insights.get': insights.get,
    'insights.create': (call) => insights.create(call, []),
    'insights.update': insights.update,
    'insights.delete': insights.delete,
    'suggestions.list': suggestions.list,
    'suggestions.get': suggestions.get,
    'suggestions.create': (call) => suggestions.create(call, []),
    'suggestions.update': suggestions.update,
    'suggestions.delete': suggestions.delete,
  };
}

function contactView({ id, createdAt, updatedAt, fields }: Loose) {
  const relationshipType = RELATIONSHIPS.parse(fields.relationshipType ?? null);
  return { id, ...fields, relationshipType, createdAt, lastInteractionAt: updatedAt };
}
