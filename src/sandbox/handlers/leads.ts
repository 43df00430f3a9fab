import { convert, refuseConverted } from '../conversion';
import { isLeadSort, LEAD_SORTS } from '../lead-table';
import { badRequest, found, ok } from '../refusal';
import { AUDIT_TIER, requireTier } from '../required-tier';
import type { HandlersOf, Service } from '../service';
import { shownLead } from '../shapes';

/** agent-api.md, "Leads". */
export function leadHandlers(service: Service): HandlersOf<'leads'> {
  const { store, shapes, clock, settings, random, switches } = service;
  return {
    'leads.list': ({ user, query }) => {
      const view = query.choice('status', ['active', 'archived', 'all'], shapes.leads.view);
      const limit = query.integer('limit', 1, 500, shapes.leads.limit);
      const offset = query.integer('offset', 0, Number.MAX_SAFE_INTEGER, 0);
      const direction = query.choice('direction', ['asc', 'desc'], shapes.leads.direction);
      const sort = query.text('sort') ?? shapes.leads.sort;
      if (!isLeadSort(sort)) throw badRequest(`The sort field must be one of ${LEAD_SORTS.join(', ')}`);
      const leads = store.leads.ordered(user.id, { view, sort, direction, surveyLink: query.text('surveyLink') });
      const pagination = { limit, offset, total: leads.length };
      return ok({ data: leads.slice(offset, offset + limit).map(shownLead), pagination, filters: {} });
    },
    'leads.get': ({ user, id }) => ok(shapes.one('lead', shownLead(found(store.leads.get(user.id, id), 'Lead')))),
    'leads.convert': async ({ user, id }) => {
      requireTier(user, AUDIT_TIER);
      const lead = found(store.leads.get(user.id, id), 'Lead');
      const check = () => {
        refuseConverted(lead);
        if (!switches.aiKey) throw badRequest('The AI provider key is missing or revoked');
      };
      if (settings.convertCheck === 'atArrival') check();
      await clock.sleep(settings.durations.convert);
      if (settings.convertCheck === 'atCommit') check();
      const { project, paid } = convert(service, user, lead, 'agent');
      const auditId = settings.auditId === 'project' ? project.id : random.uuid();
      return ok({ success: true, data: { auditId, creditsUsed: paid, pdfAttached: true } });
    },
  };
}
