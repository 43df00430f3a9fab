/** What a person may answer a run that asks: what each answer means and costs, and how it is given. Imported by workflows. Pure. */
import { asArgument, command, PROGRAM } from '../text/command';
import { bullets, code, type Markdown, md } from '../text/md';
import { counted, grouped } from '../text/numbers';
import { formatDuration } from '../time/duration';

/** One of the answers that a run takes. */
export interface Answer {
  /** What somebody says by it, such as 'It happened'. */
  readonly means: string;
  /** Name of the update. */
  readonly update: string;
  /** What is sent with it: a JSON object, which can be pasted. */
  readonly data: string;
  /** What comes of it, and what it costs. */
  readonly follows: string;
  /** How it is given by the command line. */
  readonly command: string;
}

type Said = Readonly<Record<string, string>>;

/** Updates that are a command of their own. */
const OWN_COMMANDS: readonly string[] = ['approve', 'reject', 'resume', 'stop'];

export const answer = (
  workflowId: string,
  update: string,
  { means, follows, said = {} }: { means: string; follows: string; said?: Said },
): Answer => ({
  ...{ means, update, follows, data: jsonOf(said) },
  command:
    OWN_COMMANDS.includes(update) && Object.keys(said).length === 0
      ? command(update, workflowId)
      : `${PROGRAM} answer ${asArgument(workflowId)} ${update}${Object.keys(said).length === 0 ? '' : ` --input ${quoted(said)}`}`,
});

/** As people write it on one line. */
const jsonOf = (said: Said): string => JSON.stringify(said, null, 1).replace(/\n */g, ' ');

/** What a shell takes as one word: an ID that it would take apart is one to be put in by hand. */
const quoted = (said: Said): string => {
  const plain = Object.entries(said).map(([name, value]) => [name, /^[\w.:/+-]+$/.test(value) ? value : `<${name}>`]);
  return `'${jsonOf(Object.fromEntries(plain))}'`;
};

/** To the question whether something happened. @param credits what it costs to send it again */
export const decisions = (workflowId: string, credits: number): Answer[] => {
  const decide = (decision: string, means: string, follows: string) =>
    answer(workflowId, 'decide', { means, follows, said: { decision } });
  return [
    decide(
      'itHappened',
      'It happened',
      credits > 0
        ? `it is never sent again; ${counted(credits, 'credit')} are booked if this run sent it`
        : 'it is never sent again, and costs no credits',
    ),
    decide(
      'sendAgain',
      'It did not happen, and is to be sent again',
      `it is looked up once more and sent, which costs ${credits > 0 ? counted(credits, 'credit') : 'no credits'}`,
    ),
    decide(
      'giveUp',
      'Nobody can tell',
      `the run ends as unresolved and sends nothing more${credits > 0 ? `; what it has sent may have cost ${grouped(credits)} credits` : ', and costs no credits'}`,
    ),
  ];
};

/** To the question whether a plan is carried out. */
export const approvals = (workflowId: string, credits: number): Answer[] => [
  answer(workflowId, 'approve', {
    means: 'Yes',
    follows: `it begins, and spends up to ${counted(credits, 'credit')}`,
  }),
  answer(workflowId, 'reject', { means: 'No', follows: 'it ends, and spends nothing' }),
];

/** In the sentence that asks: 'Answer with the update `approve` or `reject` within 1 d.' */
export function answerWith(answers: readonly Answer[], deadlineMs?: number): string {
  const updates = [...new Set(answers.map(({ update }) => `\`${update}\``))];
  const last = updates.pop();
  const either = updates.length === 0 ? last : `${updates.join(', ')} or ${last}`;
  return `Answer with the update ${either}${deadlineMs === undefined ? '' : ` within ${formatDuration(deadlineMs)}`}.`;
}

/** More of them would fill the page. */
const MOST = 8;

/** How a question is answered, by a click or by a command. */
export function howToAnswer(answers: readonly Answer[]): Markdown | undefined {
  const shown = answers
    .slice(0, MOST)
    .map(
      (one) => md`**${one.means}**: ${code(one.update)}, ${code(one.data)}, or ${code(one.command)}; ${one.follows}`,
    );
  const more = answers.length - shown.length;
  return bullets(
    md`To answer, press *More Actions*, *Send an Update*, choose the name and paste the data; or run the command:`,
    more > 0 ? [...shown, md`and ${grouped(more)} more of the kind`] : shown,
  );
}
