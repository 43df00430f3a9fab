import type { HandlersOf, Service } from '../service';
import { looseHandlers, plainView } from './records';

/** agent-api.md, "Survey links". */
export function linkHandlers(service: Service): HandlersOf<'readylinks'> {
  const links = looseHandlers(service, 'links', { singular: 'readylink', plural: 'readylinks', view: plainView });
  return {
    'readylinks.list': links.list,
    'readylinks.get': links.get,
    'readylinks.create': (call) => links.create(call, ['title']),
    'readylinks.update': links.update,
    'readylinks.delete': links.delete,
  };
}
