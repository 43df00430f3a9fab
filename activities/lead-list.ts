/** Listing leads and deciding on them where they are: what leaves is IDs, scores and reason codes (S4). */
import { z } from 'zod';
import type { Lead } from '../src/agent-api/records';
import type { LeadPipelineInput } from '../src/inputs/lead-pipeline';
import { nearMisses } from '../src/leads/near-misses';
import { type Decision, decide, type Rules } from '../src/leads/scoring';
import { type LeadDecision, type SelectionLimits, select } from '../src/leads/selection';
import { type ShownLead, shownLead, type Thresholds } from '../src/leads/shown-lead';
import { countItems } from '../src/metrics/items';
import { inAccount } from '../src/storage/account-folder';
import { type InlineOrStored, keep, open } from '../src/storage/inline-or-stored';
import { type Deps, runtimeOf } from './deps';
import { choiceOf, type LeadChoice } from './lead-choice';
import { creditsLeft } from './left';
import { checkFilter } from './list-filters';
import { keepPage, type ListPage, type ListPlace, readPage, requireWhole } from './list-pages';

/** Documented maximum of a page. */
const PAGE = 500;
/** Rules up to this, in bytes, travel with each page; long lists of exclusions would fill a history. */
const MAX_RULES_BYTES = 2_048;
/** So many leads a person reads; the others are in the stored decisions. */
const PREVIEWED = 10;

/** The run whose leads they are. */
export interface OfRun {
  /** Absent in runs of before. */
  account?: string;
  /** Names its folder in the storage. */
  ref: string;
}

/** One page as a workflow sees it. */
export interface LeadPageSeen {
  decisions: InlineOrStored<Decision[]>;
  /** As the service counts, or as many as were listed. */
  total: number;
  /** The service said so. */
  isCounted?: true;
  /** Leads up to here, and the next page if there is one. */
  end: number;
  next?: ListPlace;
  notes: string[];
}

/** What became of one chosen lead. */
export interface LeadOutcome {
  leadId: string;
  outcome: 'converted' | 'alreadyConverted' | 'skipped' | 'refused' | 'unresolved' | 'failed';
  reason?: string;
  /** What of it could not be read, and the setting that corrects it. */
  problem?: string;
  credits: number;
  projectId?: string;
  /** The run that audits its project. */
  audit?: string;
}

/** What the result says of one lead: the decision, why, and what became of it. */
export interface LeadVerdict extends ShownLead {
  id: string;
  decision: 'convert' | 'skip';
  outcome: LeadOutcome['outcome'];
  score: number | null;
  reasons: readonly string[];
  credits: number;
  projectId?: string;
  /** The run that audits its project. */
  audit?: string;
}

/** The rules were parsed when the run began; what is read back is what was written. */
const KeptRules = z.custom<Rules>((rules) => z.object({ scoring: z.object({}) }).safeParse(rules).success);
/** Made once: a schema made for each of 100,000 rows takes minutes and 400 MB. */
const Row = z.object({ id: z.string(), decision: z.string() });
const DecisionRow = z.custom<Decision>((row) => Row.safeParse(row).success);
const LeadRow = z.custom<LeadDecision>((row) => Row.safeParse(row).success);

/** What a run chooses from, and how. */
export interface Choosing extends OfRun {
  pages: InlineOrStored<Decision[]>[];
  limits: SelectionLimits;
  total: number;
  /** Absent in runs of before. */
  thresholds?: Thresholds;
}

export function createLeadListActivities(deps: Deps) {
  const { storage } = deps;

  return {
    /** The rules of a run, or where they are kept. No call of the API. */
    keepRules: ({ account, rules, ref }: OfRun & { rules: Rules }): Promise<InlineOrStored<Rules>> =>
      keep(storage, inAccount(account, `runs/${ref}/rules`), rules, MAX_RULES_BYTES),

    /** GET one page of the lead list in order of creation, and a decision on each lead of it. */
    async decidePage(call: {
      account: string;
      view: LeadPipelineInput['view'];
      surveyLink: LeadPipelineInput['surveyLink'];
      rules: InlineOrStored<Rules>;
      place: ListPlace;
      now: number;
      ref: string;
    }): Promise<LeadPageSeen> {
      const { view, surveyLink, place } = call;
      const runtime = runtimeOf(deps, call.account);
      const page = await readPage(
        runtime,
        'leads.list',
        {
          filter: { status: view, ...(surveyLink !== undefined && { surveyLink }) },
          order: { sort: 'created_at', direction: 'asc' },
          limit: PAGE,
        },
        place,
      );
      requireWhole('leads', place, page);
      if (surveyLink !== undefined)
        await checkFilter<Lead>(
          runtime,
          {
            ...{ route: 'leads.list', parameter: 'surveyLink', setting: 'undocumented.leadsList.surveyLink' },
            ...{ wanted: surveyLink, shown: ({ staticSlugId }) => staticSlugId },
          },
          page.items,
        );
      const rules = await open(storage, call.rules, KeptRules);
      const decisions = page.items.map((lead): Decision => {
        const decision = inView(lead, view) ?? decide(lead, rules, call.now);
        // Of a lead that is left nobody needs the name.
        const names = decision.decision === 'candidate' ? runtime.account.showNames : 'none';
        return { ...decision, ...shownLead(lead, names) };
      });
      const end = place.offset + page.items.length + (page.unreadable ?? 0);
      const { following, total = end } = page;
      const isCounted = page.total !== undefined && { isCounted: true as const };
      const { account, ref } = call;
      return {
        decisions: await keepPage(storage, { account, ref, place, following }, decisions),
        ...{ total, ...isCounted, end, notes: doubts(page) },
        ...(following && { next: following }),
      };
    },

    /** Chooses from all pages. No call of the API. @param call.stands whether the run keeps to its first choice: {@link choiceOf} */
    async selectLeads(call: Choosing & { stands?: boolean }): Promise<LeadChoice> {
      const choice = call.stands ? await choiceOf(storage, call, () => choose(call)) : await choose(call);
      return { ...choice, ...(call.account !== undefined && { left: await creditsLeft(deps, call.account) }) };
    },

    /** Brings decisions and outcomes together; every lead ends as something (S6). No call of the API. */
    async concludeLeads(
      call: OfRun & {
        decisions: InlineOrStored<LeadDecision[]>;
        outcomes: LeadOutcome[];
        /** Why a chosen lead without an outcome was left. */
        leftOver: string;
        /** What became of them is not counted. */
        isPlan?: boolean;
      },
    ): Promise<{ counts: Record<string, number>; decisions: InlineOrStored<LeadVerdict[]> }> {
      const outcomes = new Map(call.outcomes.map((outcome) => [outcome.leadId, outcome]));
      const verdicts = (await open(storage, call.decisions, z.array(LeadRow))).map(
        ({ id, decision, score, reasons, ...shown }): LeadVerdict => {
          const found = outcomes.get(id);
          if (!found)
            return {
              ...shown,
              id,
              decision,
              outcome: 'skipped',
              score,
              reasons: decision === 'convert' ? [...reasons, call.leftOver] : reasons,
              credits: 0,
            };
          const { outcome, reason, credits, projectId, audit } = found;
          return {
            ...shown,
            id,
            decision,
            outcome,
            score,
            reasons: reason ? [...reasons, reason] : reasons,
            credits,
            ...(projectId && { projectId }),
            ...(audit && { audit }),
          };
        },
      );
      const counts: Record<string, number> = {};
      for (const { outcome } of verdicts) counts[outcome] = (counts[outcome] ?? 0) + 1;
      const decisions = await keep(storage, inAccount(call.account, `runs/${call.ref}/result`), verdicts);
      if (!call.isPlan) countItems('leadPipeline', call.account, verdicts, call.ref);
      return { counts, decisions };
    },
  };

  async function choose(call: Choosing): Promise<LeadChoice> {
    const pages = await Promise.all(
      call.pages.map(async (page) => ({
        decisions: await open(storage, page, z.array(DecisionRow)),
        total: call.total,
      })),
    );
    const { leads, notes, eligible } = select(pages, call.limits);
    const chosen = leads.filter(({ decision }) => decision === 'convert');
    return {
      chosen: chosen.map(({ id }) => id),
      decisions: await keep(storage, inAccount(call.account, `runs/${call.ref}/decisions`), [...leads]),
      leads: leads.length,
      notes: [...notes],
      ...{ eligible, preview: chosen.slice(0, PREVIEWED) },
      ...(call.thresholds && { below: nearMisses(leads, call.thresholds) }),
    };
  }
}

/** A service that does not know the view shows all of them: what it shows as of the other one is left out. */
function inView({ id, archived, archivedAt }: Lead, view: LeadPipelineInput['view']): Decision | undefined {
  const isArchived = archived ?? (archivedAt ? true : undefined);
  if (view === 'all' || isArchived === undefined || isArchived === (view === 'archived')) return undefined;
  return { id, decision: 'skip', score: null, createdAt: null, reasons: ['otherView'] };
}

/** Signs that a guessed parameter name is another one here. */
function doubts({ items, limit, total, refused, unreadable, cut, following }: ListPage<Lead>): string[] {
  const notes: string[] = [];
  if (limit !== undefined && limit < PAGE && (following !== undefined || (total ?? 0) > items.length))
    notes.push(
      `The list gives ${limit} leads a page though ${PAGE} were asked for: undocumented.leadsList.limit may be another name, and listing takes more reads.`,
    );
  if (refused.length > 0)
    notes.push(
      `The list refuses parameters of these names and is read without them: ${refused.map((name) => `undocumented.leadsList.${name}`).join(', ')}.`,
    );
  if (unreadable)
    notes.push('The list has entries that show no identifier which audit-runner could use; they are left.');
  if (cut === 'perhaps')
    notes.push(
      'Nothing says whether the list of leads goes on after what it shows: if there are more, set undocumented.leadsList.offset, .page or .cursor to the name of its parameter.',
    );
  const times = items.map(({ createdAt }) => Date.parse(createdAt ?? ''));
  if (times.some((time, i) => time < (times[i - 1] ?? time)))
    notes.push(
      'The list is not in the order that was asked for: undocumented.leadsList.sort or .direction may be another name.',
    );
  return notes;
}
