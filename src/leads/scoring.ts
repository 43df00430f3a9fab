/**
 * Which leads are worth converting, and why. Pure; called inside the activity that lists the leads, so that no personal
 * data leaves it: a decision holds an ID, a score and reason codes (S4).
 */
import type { Lead } from '../agent-api/records';
import type { LeadPipelineInput } from '../inputs/lead-pipeline';
import { readScore, type Score } from './score';
import type { ShownLead } from './shown-lead';

/** The part of a pipeline's input that decides about a lead. */
export type Rules = Pick<LeadPipelineInput, 'surveyStatus' | 'createdSince' | 'scoring'>;

/** Every reason a lead can have, and what it says to a person. The codes are stable. */
const REASONS = {
  meetsAll: 'meets all rules',
  alreadyConverted: 'is already converted',
  statusUnknown: 'shows no survey status, so nobody knows whether it is converted',
  otherView: 'is not of the view that was asked for',
  statusNotWanted: 'its survey status is not among surveyStatus',
  createdBefore: 'was created before createdSince',
  createdUnknown: 'has no readable creation time, and createdSince asks for one',
  scoreOutOfRange: 'has a score outside 0 to 100, which cannot be compared',
  noScore: 'has no score yet',
  belowReadiness: 'its AI readiness score is below scoring.minReadiness',
  belowComposite: 'its composite score is below scoring.minComposite',
  belowScore: 'its score is below scoring.minScore',
  missingEmail: 'has no e-mail address',
  missingPhone: 'has no phone number',
  missingBusinessName: 'has no business name',
  missingClientName: 'has no client name',
  excludedName: 'its name is among scoring.exclude.names',
  excludedDomain: 'its e-mail domain is among scoring.exclude.emailDomains',
  overMaxConversions: 'meets all rules, but maxConversions is used up by leads before it',
  overMaxCredits: 'meets all rules, but maxCredits is used up by leads before it',
} as const;

export type ReasonCode = keyof typeof REASONS;

/** A reason for a person: the end of a sentence that begins with 'this lead'; undefined for what is no reason of these rules. */
export const reasonText = (code: string): string | undefined =>
  Object.hasOwn(REASONS, code) ? REASONS[code as ReasonCode] : undefined;

/** What the rules say of one lead, and what people are shown of it. Holds no personal data. */
export interface Decision extends ShownLead {
  readonly id: string;
  readonly decision: 'candidate' | 'skip';
  /** Weighted mean of the lead's scores plus points, two decimals; null when it has no usable score. */
  readonly score: number | null;
  /** When the lead was created, milliseconds; null when unknown. Orders leads of equal score. */
  readonly createdAt: number | null;
  /** `['meetsAll']` for a candidate; for a skipped lead all reasons, the weightiest first. */
  readonly reasons: readonly ReasonCode[];
}

/**
 * Decides about one lead.
 * @param now the run's own time, milliseconds; the same for all its leads
 */
export function decide(lead: Lead, rules: Rules, now: number): Decision {
  const createdAt = readTime(lead.createdAt);
  const scores = { readiness: readScore(lead.aiReadinessScore), composite: readScore(lead.compositeScore) };
  const score = weigh(lead, scores, rules);
  const checks: (ReasonCode | false | undefined)[] = [
    statusReason(lead, rules),
    createdReason(createdAt, rules, now),
    ...scoreReasons(scores, score, rules),
    ...missing(lead, rules),
    isExcludedName(lead, rules) && 'excludedName',
    isExcludedDomain(lead, rules) && 'excludedDomain',
  ];
  const found = checks.filter((reason) => reason !== undefined && reason !== false);
  return {
    id: lead.id,
    decision: found.length > 0 ? 'skip' : 'candidate',
    score,
    createdAt,
    reasons: found.length > 0 ? found : ['meetsAll'],
  };
}

interface Scores {
  readonly readiness: Score;
  readonly composite: Score;
}

function readTime(value: string | null | undefined): number | null {
  const time = Date.parse(value ?? '');
  return Number.isNaN(time) ? null : time;
}

function weigh(lead: Lead, { readiness, composite }: Scores, { scoring: { weights } }: Rules): number | null {
  let sum = 0;
  let total = 0;
  for (const [score, weight] of [
    [readiness, weights.readiness],
    [composite, weights.composite],
  ] as const)
    if (typeof score === 'number') {
      sum += score * weight;
      total += weight;
    }
  if (total === 0) return null;
  const points = (has(lead.clientEmail) ? weights.hasEmail : 0) + (has(lead.clientPhone) ? weights.hasPhone : 0);
  return Math.round((sum / total + points) * 100) / 100;
}

const has = (text: string | null | undefined): text is string => (text ?? '').trim() !== '';

function statusReason(lead: Lead, { surveyStatus }: Rules): ReasonCode | undefined {
  const status = lead.surveyStatus?.trim().toLowerCase();
  if (!status) return 'statusUnknown';
  if (status === 'converted') return 'alreadyConverted';
  return surveyStatus.some((wanted) => wanted === status) ? undefined : 'statusNotWanted';
}

function createdReason(createdAt: number | null, { createdSince }: Rules, now: number): ReasonCode | undefined {
  if (createdSince === undefined) return undefined;
  if (createdAt === null) return 'createdUnknown';
  return createdAt < ('at' in createdSince ? createdSince.at : now - createdSince.agoMs) ? 'createdBefore' : undefined;
}

function scoreReasons({ readiness, composite }: Scores, score: number | null, { scoring }: Rules): ReasonCode[] {
  const { minReadiness, minComposite, minScore } = scoring;
  const reasons: ReasonCode[] = [];
  if (readiness === 'outOfRange' || composite === 'outOfRange') reasons.push('scoreOutOfRange');
  if ((readiness === undefined && minReadiness > 0) || (score === null && minScore !== undefined))
    if (reasons.length === 0) reasons.push('noScore');
  if (typeof readiness === 'number' && readiness < minReadiness) reasons.push('belowReadiness');
  if (typeof composite === 'number' && minComposite !== undefined && composite < minComposite)
    reasons.push('belowComposite');
  if (score !== null && minScore !== undefined && score < minScore) reasons.push('belowScore');
  return reasons;
}

const REQUIRED = {
  email: ['clientEmail', 'missingEmail'],
  phone: ['clientPhone', 'missingPhone'],
  businessName: ['businessName', 'missingBusinessName'],
  clientName: ['clientName', 'missingClientName'],
} as const;

function missing(lead: Lead, { scoring }: Rules): ReasonCode[] {
  return [...new Set(scoring.require)].flatMap((field) => {
    const [key, reason] = REQUIRED[field];
    return has(lead[key]) ? [] : [reason];
  });
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

function isExcludedName(lead: Lead, { scoring }: Rules): boolean {
  const { names } = scoring.exclude;
  if (names.length === 0) return false;
  const given = [lead.clientName, lead.businessName].filter(has).map(folded);
  return names.some((pattern) => given.some((name) => matches(name, folded(pattern))));
}

/** `*` for any text. No regular expression: names come from a public form and could make one run for minutes. */
function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*');
  const first = parts.shift() ?? '';
  const last = parts.pop();
  if (last === undefined) return name === first;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function isExcludedDomain(lead: Lead, { scoring }: Rules): boolean {
  const excluded = scoring.exclude.emailDomains;
  if (excluded.length === 0 || !has(lead.clientEmail)) return false;
  // Several addresses, a display name or a final dot are all seen in what people type into a form.
  const domains = lead.clientEmail
    .toLowerCase()
    .split(/[\s<>,;]+/)
    .map((word) => word.slice(word.lastIndexOf('@') + 1).replace(/\.+$/, ''));
  return excluded.some((entry) => {
    const domain = entry.replace(/^@/, '').toLowerCase();
    return domains.some((given) => given === domain || given.endsWith(`.${domain}`));
  });
}
