import { z } from 'zod';
import { shownText } from '../marks';
import { badRequest, found, ok } from '../refusal';
import type { Capture, User } from '../rows';
import type { HandlersOf, Service } from '../service';
import { shownCapture } from '../shapes';
import { fieldsOf } from './records';

const CHANNELS = [
  'transcript',
  'voice_note',
  'text_note',
  'email',
  'calendar',
  'zoom',
  'crm_sync',
  'file_drop',
] as const;
const STATUSES = ['pending', 'processing', 'processed', 'needs_review', 'failed'] as const;

/** Which fields a new capture has is not shown. */
const CaptureFields = z.object({ rawContent: z.string().min(1), projectId: z.string().nullable() });
const NewCapture = CaptureFields.extend({
  channel: z.enum(CHANNELS),
  projectId: CaptureFields.shape.projectId.default(null),
});

/** agent-api.md, "Memory layer": captures and notes. */
export function captureHandlers(service: Service): HandlersOf<'captures'> {
  const { store, shapes, extraction, clock, random, notes, switches } = service;
  const shown = (capture: Capture) => {
    const { rawContent, ...rest } = shownCapture(capture);
    return { ...rest, ...shownText('rawContent', rawContent, switches.marks.notes) };
  };
  const add = (user: User, fields: z.output<typeof NewCapture>): Capture => {
    const at = clock.iso();
    const capture = store.captures.add({
      ...{ id: random.uuid(), userId: user.id, ...fields, status: 'pending' },
      ...{ capturedAt: at, createdAt: at, updatedAt: at },
      ...{ contentType: 'text/plain', processedContent: null, processingResults: null, attempts: 0, items: [] },
    });
    extraction.start(capture);
    return capture;
  };
  return {
    'captures.list': ({ user, query }) => {
      const channel = query.choice('channel', CHANNELS);
      const status = query.choice('status', STATUSES);
      const project = query.text('project');
      const limit = query.integer('limit', 1, 100, shapes.captures.limit);
      const offset = query.integer('offset', 0, Number.MAX_SAFE_INTEGER, 0);
      const captures = store.captures
        .all(user.id)
        .reverse()
        .filter((capture) => channel === undefined || capture.channel === channel)
        .filter((capture) => status === undefined || capture.status === status)
        .filter((capture) => project === undefined || capture.projectId === project);
      return ok({ captures: captures.slice(offset, offset + limit).map(shown) });
    },
    'captures.get': ({ user, id }) => {
      const capture = found(store.captures.get(user.id, id), 'Capture');
      return ok({ capture: shown(capture), items: capture.items });
    },
    'captures.create': ({ user, body }) => {
      const parsed = NewCapture.safeParse(body);
      if (!parsed.success) throw badRequest('A capture needs a channel and its rawContent');
      if (parsed.data.projectId !== null) found(store.projects.get(user.id, parsed.data.projectId), 'Project');
      return ok(shapes.one('capture', shown(add(user, parsed.data))), 201);
    },
    'captures.update': ({ user, id, body }) => {
      const capture = found(store.captures.get(user.id, id), 'Capture');
      const parsed = CaptureFields.partial().safeParse(body);
      if (!parsed.success || Object.keys(fieldsOf(body)).length === 0) throw badRequest('Nothing to change');
      Object.assign(capture, parsed.data, { updatedAt: clock.iso() });
      return ok(shapes.one('capture', shown(capture)));
    },
    'captures.delete': ({ user, id }) => {
      if (!store.captures.remove(user.id, id)) found(undefined, 'Capture');
      return shapes.deleted();
    },
    'captures.reprocess': ({ user, id }) => {
      extraction.start(found(store.captures.get(user.id, id), 'Capture'));
      return ok({ queued: true });
    },
    'captures.submitNote': ({ user, body }) => {
      const { content, project } = shapes.names.note;
      const parsed = z.object({ [content]: z.string().min(1), [project]: z.string().optional() }).safeParse(body);
      if (!parsed.success) throw badRequest(`A note needs the text '${content}'`);
      const projectId = parsed.data[project] ?? null;
      if (projectId !== null) found(store.projects.get(user.id, projectId), 'Project');
      const rawContent = shapes.noteText(parsed.data[content] ?? '');
      notes.saw({ userId: user.id, projectId, rawContent });
      const capture = add(user, { channel: 'text_note', rawContent, projectId });
      return shapes.noteTaken(shownCapture(capture));
    },
  };
}
