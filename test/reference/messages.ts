/** `messages.md`: what is told to people outside of Temporal, and the types of failures. */
import { BODIES, NOTICE_KINDS, type Notice, type NoticeKind, titleOf } from '../../src/notify/message';
import { FailureType } from '../../src/runs/failure-types';
import { commented } from './comments';
import { block, code, page, table } from './markdown';

export interface Told {
  name: string;
  /** Empty where its definition says nothing. */
  meaning: string;
}

export function notices(): (Told & { name: NoticeKind })[] {
  const meanings = commented('src/notify/message.ts', /'(\w+)',/);
  return NOTICE_KINDS.map((name) => ({ name, meaning: meanings.get(name) ?? '' }));
}

export function failures(): Told[] {
  const meanings = commented('src/runs/failure-types.ts', /\w+: '(\w+)',/);
  return Object.values(FailureType).map((name) => ({ name, meaning: meanings.get(name) ?? '' }));
}

const LINK = 'https://temporal.example.com/namespaces/default/workflows/…';

/** What the notices are about, for an example of each. */
const WHAT: Record<NoticeKind, Pick<Notice, 'what' | 'about' | 'counts' | 'by' | 'identity'>> = {
  personNeeded: { what: 'approval', about: '5 conversions for 5,000 credits' },
  personActed: { what: 'approve', by: 'Ann', identity: 'ann@laptop' },
  holdBegan: { what: 'killSwitch' },
  holdEnded: { what: 'killSwitch' },
  budgetUsedUp: { what: 'the daily budget is used up' },
  priceRose: { what: 'leads.convert: 1200' },
  runFailed: { what: 'BadInput' },
  batchEnded: { what: 'done', counts: { done: 40, failed: 2 } },
};

const example = (kind: NoticeKind): Notice => ({
  ...{ kind, account: 'default', workflowType: kind === 'batchEnded' ? 'backfill' : 'leadPipeline' },
  ...{
    workflowId: `${kind === 'batchEnded' ? 'backfill' : 'lead-pipeline'}.default.20260131T070000-000Z`,
    runId: '…',
    nth: 1,
  },
  ...WHAT[kind],
});

const standard = (): string =>
  JSON.stringify(JSON.parse(BODIES.standard(example('batchEnded'), LINK, new Date(0))), null, 2);

export const messages = (): string =>
  page(
    'Notifications and failures',
    '## Notifications',
    'Sent to the address under `notify` of the [configuration](configuration.md), of the kinds that are named there. In the format `slack` the sentence is sent, with a link to the run; in the format `standard` a JSON object, and one that is sent again has the same header `webhook-id`:',
    block(standard(), 'json'),
    table(
      ['Kind', 'Meaning', 'Example of its sentence'],
      notices().map(({ name, meaning }) => [code(name), meaning, titleOf(example(name))]),
    ),
    '## Types of failures',
    'What the Web UI shows as the type of a failure, of a run or of an activity that is tried again; `npx audit-runner run` prints it in parentheses. The message says what to do. Other types come from Temporal itself.',
    table(
      ['Type', 'Meaning'],
      failures().map(({ name, meaning }) => [code(name), meaning]),
    ),
  );
