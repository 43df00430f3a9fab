/** On whose word was paid, by the entries of the books alone (S8). */
import type { Act, Entry } from '../../src/books/entry';
import { type Word, Words } from '../../src/books/words';
import type { Settlement } from '../../src/paying/open-sends';

const FRAME = { v: 1, seq: 1, prev: '', id: '00000000-0000-4000-8000-000000000000', worker: 'w' } as const;
const RUN_ID = '00000000-0000-4000-8000-00000000000a';
const MINUTE = 60_000;
/** The books of a test; moments are minutes. */
class Story {
  readonly words = new Words();
  readonly told: [subject: string, word: Word][] = [];

  #hear(entry: Entry, credits = 0): void {
    const booked =
      'subject' in entry && credits ? { subject: entry.subject, run: entry.run, credits, at: entry.at } : undefined;
    this.#note(this.words.hear(entry, booked));
  }

  #note(vouched: ReturnType<Words['hear']>): void {
    for (const { booked, word } of vouched) this.told.push([booked.subject, word]);
  }

  /** @param written when it stands in the books */
  says(update: string, minute: number, act: Partial<Act> & { of?: object } = {}, written = minute): this {
    const { of = {}, ...rest } = act;
    const said = JSON.stringify(of);
    const when = minute * MINUTE;
    this.#hear({
      ...{ ...FRAME, kind: 'act', at: written * MINUTE, update, workflowId: 'pipeline', runId: RUN_ID, when, said },
      ...rest,
    });
    return this;
  }

  sends(subject: string, minute: number, { by = 'convert', run = `pipeline/${RUN_ID}` } = {}): this {
    const at = minute * MINUTE;
    const sent = {
      attempt: `${by}#${RUN_ID}/7/${RUN_ID}`,
      run,
      credits: 1_000,
      grantedAt: at,
      overAt: at + 1,
      runCap: null,
    };
    this.#hear({ ...FRAME, kind: 'sending', at, subject, ...sent });
    return this;
  }

  becomes(
    subject: string,
    minute: number,
    { by = 'convert', run = `pipeline/${RUN_ID}`, settlement = { kind: 'paid', credits: 1_000 } as Settlement } = {},
  ): this {
    const attempt = `${by}#${RUN_ID}/7/${RUN_ID}`;
    this.#hear({ ...FRAME, kind: 'became', at: minute * MINUTE, subject, attempt, run, settlement }, 1_000);
    return this;
  }

  /** One payment. */
  pays(subject: string, minute: number, how: { by?: string; run?: string } = {}): this {
    return this.sends(subject, minute, how).becomes(subject, minute, how);
  }

  end(): Record<string, Word> {
    this.#note(this.words.end());
    return Object.fromEntries(this.told);
  }
}

const ann: Word = { by: 'client', name: 'ann@laptop' };
const bob: Word = { by: 'client', name: 'bob@desk' };

test('the last word before a payment counts, whoever said what before or later', () => {
  const story = new Story()
    .says('start', 0, { identity: 'starter', of: { approval: 'all', maxConversions: 9 } })
    .says('approve', 1, { identity: 'ann@laptop', by: 'the CFO' })
    .pays('a', 2)
    .says('pause', 3, { identity: 'eve@elsewhere' })
    .says('resume', 4, { identity: 'eve@elsewhere' })
    .pays('b', 5)
    .says('changeLimits', 6, { identity: 'bob@desk', of: { maxConversions: 20 } })
    .pays('c', 7);
  expect(story.end()).toEqual({ a: ann, b: ann, c: bob });
});

test('a limit that was lowered, or that is none of spending, let nobody spend', () => {
  const story = new Story()
    .says('start', 0, { identity: 'ann@laptop', of: { approval: 'none', maxCredits: 5_000 } })
    .says('changeLimits', 1, { identity: 'bob@desk', of: { maxCredits: 2_000 } })
    .says('changeLimits', 2, { identity: 'bob@desk', of: { concurrency: 9 } })
    .pays('a', 3)
    .says('changeLimits', 4, { identity: 'bob@desk', of: { maxCredits: 2_001 } })
    .pays('b', 5)
    .says('changeLimits', 6, { identity: 'ann@laptop', of: { maxItems: null } })
    .pays('c', 7);
  expect(story.end()).toEqual({ a: { ...ann, isBudget: true }, b: bob, c: ann });
});

test.each<[what: string, act: Partial<Act> & { of?: object }, word: Word]>([
  ['the server', { principal: 'jwt:ann', identity: 'x', by: 'y' }, { by: 'principal', name: 'jwt:ann' }],
  ['the client', { identity: 'x', by: 'y' }, { by: 'client', name: 'x' }],
  ['the message itself', { by: 'y' }, { by: 'message', name: 'y' }],
  ['nobody', {}, { by: 'nobody', name: '' }],
])('who said it is told by %s', (_, act, word) => {
  expect(new Story().says('approve', 0, act).pays('a', 1).end()).toEqual({ a: word });
});

test('a run is begun by a schedule, by a budget in its input, or by a person; of some the books do not tell', () => {
  const story = (of: object, act: Partial<Act> = { identity: 'ann@laptop' }) =>
    new Story()
      .says('start', 0, { ...act, of })
      .pays('a', 1)
      .end().a;
  expect(story({ schedule: 'audit-runner.morning', maxCredits: 5 })).toEqual({
    ...{ by: 'schedule', name: 'audit-runner.morning' },
  });
  expect(story({ maxItems: 3 })).toEqual({ ...ann, isBudget: true });
  expect(story({})).toEqual(ann);
  expect(story({ history: 'gone' }, {})).toEqual({ by: 'nobody', name: '' });
  expect(story({ approval: 'all' })).toEqual({ by: 'nobody', name: '' });
  expect(new Story().pays('a', 1).end()).toEqual({ a: { by: 'nobody', name: '' } });
});

test('a word that stands in the books a little later than what was paid by it counts', () => {
  const story = new Story()
    .says('start', 0, { of: { approval: 'all' } })
    .sends('a', 2)
    .becomes('a', 2)
    .says('approve', 1, { identity: 'ann@laptop' }, 3)
    .says('approve', 2.5, { identity: 'bob@desk' }, 3);
  expect(story.told).toEqual([]);
  expect(story.end()).toEqual({ a: ann });
});

test('payments are told two minutes after they left, and not only at the end', () => {
  const story = new Story().says('approve', 0, { identity: 'ann@laptop' }).pays('a', 1).sends('b', 3.1);
  expect(story.told).toEqual([['a', ann]]);
});

test('whoever has it sent again has the word on that payment alone', () => {
  const story = new Story()
    .says('approve', 0, { identity: 'ann@laptop' })
    .says('decide', 1, { workflowId: 'convert', identity: 'bob@desk', of: { decision: 'sendAgain' } })
    .says('decide', 1, { workflowId: 'other', identity: 'eve@elsewhere', of: { decision: 'giveUp' } })
    .pays('a', 2)
    .pays('b', 2, { by: 'other' });
  expect(story.end()).toEqual({ a: bob, b: ann });
});

test('a run that says it pays for another, and that somebody began, is put down to whoever began it', () => {
  const story = new Story()
    .says('approve', 0, { identity: 'ann@laptop' })
    .says('start', 1, { workflowId: 'blames', identity: 'bob@desk' })
    .pays('a', 2, { by: 'blames' });
  expect(story.end()).toEqual({ a: bob });
});

test('what was said to an earlier run of the same ID says nothing of the next one', () => {
  const story = new Story()
    .says('start', 0, { of: { approval: 'all' } })
    .says('approve', 1, { identity: 'ann@laptop' })
    .pays('a', 2)
    .says('start', 10, { of: { approval: 'all' } })
    .pays('b', 11)
    .says('approve', 12, { identity: 'bob@desk' })
    .pays('c', 13);
  expect(story.end()).toEqual({ a: ann, b: { by: 'nobody', name: '' }, c: bob });
});

test('what a look found is put down to the word by which it left, however late it was found', () => {
  const story = new Story()
    .says('approve', 0, { identity: 'ann@laptop' })
    .sends('a', 1)
    .says('changeLimits', 2, { identity: 'bob@desk', of: { maxCredits: 9_000 } })
    .becomes('a', 30, { settlement: { kind: 'foundPaid' } });
  expect(story.end()).toEqual({ a: ann });
});

test('of more runs than are remembered the oldest are not told, and no memory is kept of them', () => {
  const story = new Story().says('approve', 0, { identity: 'ann@laptop' });
  for (let n = 0; n < 20_000; n++) story.says('approve', 1, { workflowId: `w${n}`, identity: 'bob@desk' });
  story.pays('a', 2).pays('b', 2, { run: `w19999/${RUN_ID}` });
  expect(story.end()).toEqual({ a: { by: 'nobody', name: '' }, b: bob });
});
