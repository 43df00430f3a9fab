/** How the spending report says figures and stable codes. */
import { outcomeInWords, reasonInWords } from '../../runs/reason-words';
import type { Cause } from './facts';

/** `20,000`. The same on every machine. */
export const credits = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

export const CAUSE_TEXT: Readonly<Record<Cause, string>> = {
  quota: 'Rate limits: in the queue for a slot',
  hold: 'Account on hold',
  approval: 'Approval by a person',
  budget: 'Cap of credits used up',
  settling: 'Settling: until it is known what became of a call',
  upstream: 'Service failing or asking to wait',
  service: 'Service at work on an audit or an extraction',
  person: 'Answer of a person',
};

const HOLD_TEXT: Readonly<Record<string, string>> = {
  killSwitch: 'API switched off',
  token: 'Token not accepted',
  otherUser: "Another user's token",
  noCredits: 'Too few credits',
  books: 'Books that lack something',
  manual: 'Put on hold by hand',
};
export const holdText = (kind: string): string => HOLD_TEXT[kind] ?? kind;

/** An outcome in words; `notRated` as `not rated`: the codes of the project are words in one. */
export const spelled = (code: string): string =>
  outcomeInWords(code).replace(
    /([a-z])([A-Z])/g,
    (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`,
  );

/** Why a run or an item did not end well; one without words is spelled. */
export function reasonText(code: string): string {
  const words = reasonInWords(code);
  return words === code ? spelled(code) : words;
}

const TYPE_TEXT: Readonly<Record<string, string>> = {
  leadPipeline: 'Pipeline runs',
  convertLead: 'Conversions',
  auditProject: 'Audits',
  ingestCapture: 'Notes and captures',
  backfill: 'Batches',
  callApi: 'Other calls',
};
export const typeText = (type: string): string =>
  TYPE_TEXT[type] ?? spelled(type).replace(/^[a-z]/, (letter) => letter.toUpperCase());
