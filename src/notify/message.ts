/** What a notification says: which run, why, and where to look. Of what it works on no more than `showNames` allows (S4). */
import type { Answer } from '../runs/answers';
import { FAILED_OUTCOMES } from '../runs/failed-outcomes';
import { outcomeInWords, outcomesInWords, reasonInWords } from '../runs/reason-words';
import { oneLine } from '../text/printable';
import { vouched } from '../text/vouched';
import { asCode, escaped, slackText } from './slack-text';

/** Stable names; receivers branch on them. Their comments stand in docs/reference/messages.md. */
export const NOTICE_KINDS = [
  /** A run waits for a person; `what` is its stage, and `about` says what is to be decided. */
  'personNeeded',
  /** A run or a ledger took what a person said, an approval for example; `what` is the message, and it says who that was. */
  'personActed',
  /** An account is on hold; `what` is the kind of hold. */
  'holdBegan',
  /** A hold of an account has ended; `what` is its kind. */
  'holdEnded',
  /** A pipeline or a backfill waits for credits; `what` says which limit, and what ends the wait. */
  'budgetUsedUp',
  /** A call costs more than is configured; `what` names the call and its price. */
  'priceRose',
  /** A scheduled run did not end well, or a backfill failed; `what` is how it ended, or the type of its failure. */
  'runFailed',
  /** A backfill has ended; `what` is how, and `counts` has a figure for each outcome. */
  'batchEnded',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** What a person is to decide, and how: what stands on the page of the run, as far as it fits into a message. */
export interface Asked {
  /** What a person is to decide on: how much, at what cost, for which businesses; or the question. */
  readonly about?: string;
  /** Most credits that it costs. */
  readonly credits?: number;
  /**
   * The first of what it is about, a line each: of a lead the business as far as `showNames` allows, its ID, its scores with
   * their thresholds, and why it was chosen.
   */
  readonly shows?: readonly string[];
  /** What may still be spent: of each cap, and of the balance, a line each. */
  readonly left?: readonly string[];
  /** Each answer that is taken: what it means, the update and its data, what follows, and the command that gives it. */
  readonly answers?: readonly Answer[];
}

/** One thing to tell. */
export interface Notice extends Asked {
  readonly kind: NoticeKind;
  readonly account: string;
  readonly workflowType: string;
  readonly workflowId: string;
  readonly runId: string;
  /**
   * The step at which a person is needed, the message of one, the kind of hold, which limit and what ends it, the call that costs more and its
   * price, the code of a failure, how a batch ended.
   */
  readonly what?: string;
  /** Of what a person did: who it was by the message itself, where anybody can write any name. */
  readonly by?: string;
  /** Who it was by the client that sent it, as it calls itself. */
  readonly identity?: string;
  /** Who it was by the Temporal server's own word, where it gives one. */
  readonly principal?: string;
  /** Figures of a batch. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Tells this notice from others of the same kind and run: a notice that is sent again keeps its identity. */
  readonly nth: number;
}

/** How it ended, or the type of its failure. */
const endText = (what: string): string =>
  FAILED_OUTCOMES.includes(what) ? ` (${outcomeInWords(what)})` : `: ${reasonInWords(what)}`;

const TITLES: Record<NoticeKind, (notice: Notice) => string> = {
  personNeeded: ({ workflowType, what, about }) =>
    `A person is needed: ${workflowType}${what ? ` waits at ${what}` : ''}${about ? `: ${about}` : ''}`,
  personActed: ({ account, workflowType, what, by = 'somebody', ...who }) =>
    `Account ${account}: ${what ?? 'something'} was said to ${workflowType} by ${by} ${vouched(who)}`,
  holdBegan: ({ account, what }) => `Account ${account} is on hold${what ? `: ${reasonInWords(what)}` : ''}`,
  holdEnded: ({ account, what }) => `Account ${account} goes on${what ? ` (${what} has ended)` : ''}`,
  budgetUsedUp: ({ account, what }) => `Account ${account} waits for its budget${what ? `: ${what}` : ''}`,
  priceRose: ({ account, what }) =>
    `Account ${account}: a call costs more than is configured${what ? ` (${what})` : ''}`,
  runFailed: ({ workflowType, what }) => `A run of ${workflowType} did not end well${what ? endText(what) : ''}`,
  batchEnded: ({ workflowType, what, counts = {} }) =>
    `A ${workflowType} has ended${what && what !== 'done' ? ` (${outcomeInWords(what)})` : ''}: ${outcomesInWords(counts) || 'no items'}`,
};

/** One line for a person, also where what others chose has several. */
export const titleOf = (notice: Notice): string => oneLine(TITLES[notice.kind](notice));

/** The identity of a notice, the same however often it is sent (`webhook-id`). */
export const idOf = ({ kind, workflowId, runId, nth }: Notice): string => `${kind}.${workflowId}.${runId}.${nth}`;

const standardBody = (notice: Notice, link: string | undefined, at: Date): string => {
  const { kind, nth: _, ...data } = notice;
  const type = `audit_runner.${kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  return JSON.stringify({
    type,
    timestamp: at.toISOString(),
    data: { ...data, title: titleOf(notice), ...(link && { link }) },
  });
};

const slackBody = (notice: Notice, link: string | undefined): string => {
  const { shows = [], left = [], answers = [] } = notice;
  const run = slackText(notice.workflowId);
  const lines = [
    slackText(titleOf(notice)),
    link ? `<${escaped(link)}|${run}>` : run,
    ...shows.map((line) => `• ${slackText(line)}`),
    ...(left.length > 0 ? [`Left: ${left.map(slackText).join('; ')}`] : []),
    ...answers.map(({ means, command, follows }) => `${slackText(means)}: ${asCode(command)} – ${slackText(follows)}`),
  ];
  return JSON.stringify({ text: lines.join('\n') });
};

/** The forms in which notices are sent, by their names in the configuration. */
export const BODIES = {
  /** As Standard Webhooks recommend: type, timestamp, data. */
  standard: standardBody,
  /** `{"text": …}`, as Slack and those that speak like it take. */
  slack: slackBody,
} as const satisfies Record<string, (notice: Notice, link: string | undefined, at: Date) => string>;
export type NoticeFormat = keyof typeof BODIES;
