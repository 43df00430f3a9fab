import { leadSubject, type Payment } from './payments';
import { badRequest } from './refusal';
import type { Lead, Project, User } from './rows';
import type { Service } from './service';

/** @throws 400 without a code: agent-api.md, "Lead surveyStatus". */
export function refuseConverted(lead: Lead): void {
  if (lead.surveyStatus === 'converted') throw badRequest('Lead has already been converted');
}

/**
 * The commit of a conversion, with all its effects at once: credits deducted, project created with its business analysis
 * and its PDF document, lead converted. @throws 402
 */
export function convert(
  service: Service,
  user: User,
  lead: Lead,
  by: Payment['by'],
): { project: Project; paid: number } {
  const { payments, store, seeder, audits, shapes, clock, random, webhooks } = service;
  const paid = payments.charge(user, 'leads.convert', leadSubject(lead.id), by);
  const project = seeder.project(user.id, shapes.clientNameOf(lead), {
    description: 'Created from a survey response',
    businessAnalysis: [{ id: random.uuid(), source: 'survey', aiReadinessScore: lead.aiReadinessScore }],
  });
  audits.addDocument(project, { fileName: 'survey-response.pdf', fileType: 'application/pdf', fileSize: 48_213 });
  audits.projectCreated(project);
  store.leads.setStatus(lead, 'converted', clock.iso());
  webhooks.emit(user.id, 'lead.converted', { leadId: lead.id, projectId: project.id });
  return { project, paid };
}
