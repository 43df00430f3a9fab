import type { Lead } from '../src/agent-api/records';
import type { SendOutcome } from '../src/paying/attempt-plan';
import { leadSubject } from '../src/paying/subject';
import { keyId, nameKey } from '../src/text/name-keys';
import { type AccountFacts, configuredFacts } from './account';
import { callRoute } from './call';
import { type Deps, runtimeOf } from './deps';
import { sendOnce } from './send-once';

/** What a look at a lead says, without personal data (S4). */
export interface LeadSeen {
  surveyStatus: string;
  createdAt?: string;
  /** The service's own clock when it answered, milliseconds; absent when it sent no `Date`. */
  serverTime?: number;
  /** Keys of the names that the lead's project may carry, and which secret made them: a replaced token makes others. */
  nameKeys: string[];
  keyId: string;
  /** Where they were asked for; a worker of before does not know that. */
  facts?: AccountFacts;
}

export interface LookAsked {
  account: string;
  leadId: string;
  facts?: boolean;
}

export interface ConvertCall {
  account: string;
  leadId: string;
  lookedAt: number;
  run: string;
  runCap: number;
  again?: boolean;
}

export function createLeadsActivities(deps: Deps) {
  return {
    /**
     * GET one lead: the look before paying (S2).
     * @param asked.facts a run that begins hears with it what it needs to know of its account
     */
    async lookAtLead({ account, leadId, facts = false }: LookAsked): Promise<LeadSeen> {
      const runtime = runtimeOf(deps, account);
      const { value: lead, serverTime } = await callRoute(runtime, 'leads.get', { id: leadId });
      const secret = runtime.account.token.read();
      const keys = namesOf(lead).flatMap((name) => nameKey(secret, name) ?? []);
      return {
        surveyStatus: lead.surveyStatus,
        ...(lead.createdAt && { createdAt: lead.createdAt }),
        ...(serverTime !== undefined && { serverTime }),
        nameKeys: [...new Set(keys)],
        keyId: keyId(secret),
        ...(facts && { facts: configuredFacts(runtime.account) }),
      };
    },

    /** POST …/convert: one attempt, under S1–S3. */
    convertLeadOnce({ account, leadId, ...rest }: ConvertCall): Promise<SendOutcome> {
      return sendOnce(runtimeOf(deps, account), {
        ...rest,
        route: 'leads.convert',
        input: { id: leadId },
        subject: leadSubject(leadId),
        read: ({ creditsUsed, auditId }) => ({
          ...(creditsUsed !== undefined && { credits: creditsUsed }),
          ref: auditId,
        }),
      });
    },
  };
}

const namesOf = (lead: Lead) => [lead.businessName, lead.clientName];
