/**
 * What people are shown of a lead when they decide about it: the business and its scores. The name of a person, an e-mail address
 * and a phone number never are (S4); anybody may write them into the public form, also where a business is asked for. Pure.
 */
import type { Lead } from '../agent-api/records';
import { plainText } from '../text/plain-text';
import { readScore } from './score';

/** Which names leave the worker: the business that a lead names, or none. */
export const SHOWN_NAMES = ['business', 'none'] as const;
export type ShownNames = (typeof SHOWN_NAMES)[number];

export interface ShownLead {
  /** The business; absent where the lead names none, or where that must not be shown. */
  readonly name?: string;
  /** 0 to 100; absent where the lead has no usable one. */
  readonly readiness?: number;
  readonly composite?: number;
}

/** Longer ones are cut. */
const LONGEST = 60;
/** An address, also one in words, a web page, an access token, what a terminal would obey. */
const PRIVATE = /@|\bat\b.*\bdot\b|:\/\/|\.\p{L}{2,}\/|aky_|\p{Cc}/iu;
/** So many digits, whatever stands between them, may be a number that could be called. */
const MOST_DIGITS = 6;

const wordsOf = (text: string): string[] =>
  plainText(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * @returns undefined where the text may hold contact data, or the name that the person gave. Who gives none, and writes a
 * name in place of the business, cannot be told from one.
 */
export function businessName({ businessName: business, clientName }: Lead): string | undefined {
  const name = plainText(business ?? '');
  if (name === '' || PRIVATE.test(name) || (name.match(/\p{Nd}/gu) ?? []).length > MOST_DIGITS) return undefined;
  const [words, person] = [wordsOf(name), wordsOf(clientName ?? '')];
  if (person.length > 0 && person.every((word) => words.includes(word))) return undefined;
  const letters = [...name];
  return letters.length > LONGEST
    ? `${letters
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`
    : name;
}

export function shownLead(lead: Lead, names: ShownNames): ShownLead {
  const name = names === 'business' ? businessName(lead) : undefined;
  const [readiness, composite] = [readScore(lead.aiReadinessScore), readScore(lead.compositeScore)];
  return {
    ...(name !== undefined && { name }),
    ...(typeof readiness === 'number' && { readiness }),
    ...(typeof composite === 'number' && { composite }),
  };
}

/** The limits that a lead's scores are compared with. */
export interface Thresholds {
  readonly minReadiness: number;
  readonly minComposite?: number | undefined;
  readonly minScore?: number | undefined;
}

/** Of the rules, what a person compares scores with. */
export const thresholdsOf = ({ minReadiness, minComposite, minScore }: Thresholds): Thresholds => ({
  minReadiness,
  ...(minComposite !== undefined && { minComposite }),
  ...(minScore !== undefined && { minScore }),
});

/** By how much a score is too low: 'readiness 24 of at least 60'; undefined for other reasons, or where it is not known. */
export function shortfall(
  code: string,
  {
    readiness,
    composite,
    score,
  }: { readonly score: number | null } & { readonly [K in 'readiness' | 'composite']?: number | undefined },
  { minReadiness, minComposite, minScore }: Thresholds,
): string | undefined {
  const below = (what: string, is: number | null | undefined, least: number | undefined) =>
    is == null || least === undefined ? undefined : `${what} ${is} of at least ${least}`;
  switch (code) {
    case 'belowReadiness':
      return below('readiness', readiness, minReadiness);
    case 'belowComposite':
      return below('composite', composite, minComposite);
    case 'belowScore':
      return below('score', score, minScore);
    default:
      return undefined;
  }
}
