import { BODIES, type Notice, titleOf } from '../../src/notify/message';
import { approvals } from '../../src/runs/answers';

const notice: Notice = {
  ...{ kind: 'personNeeded', account: 'default', workflowType: 'leadPipeline', what: 'approval', nth: 1 },
  ...{ workflowId: 'nightly <!channel> & more', runId: 'run-1' },
};
const slack = (one: Notice, link?: string): string => (JSON.parse(BODIES.slack(one, link)) as { text: string }).text;

test('for Slack a notice is one text: what it is about, and the run with its link', () => {
  expect(JSON.parse(BODIES.slack(notice, 'https://ui.test/run'))).toEqual({ text: expect.any(String) });
  expect(slack(notice, 'https://ui.test/run?a=1&b=2')).toBe(
    'A person is needed: leadPipeline waits at approval\n<https://ui.test/run?a=1&amp;b=2|nightly &lt;!channel&gt; &amp; more>',
  );
});

const asked: Notice = {
  ...notice,
  ...{ workflowId: 'morning', about: '2 conversions for 2,000 credits (“Acme Ltd” and 1 more)', credits: 2_000 },
  shows: ['“Acme Ltd”, lead 5f2b: meets all rules: score 71, readiness 64 (at least 60, the default), 1,000 credits'],
  left: ['Today (UTC): 6,000 of 8,000 credits are left; 2,000 credits spent', 'Balance: 50,000 credits'],
  answers: approvals('morning', 2_000),
};

test('who is asked reads what is decided, what is left, and how it is answered', () => {
  expect(slack(asked, 'https://ui.test/run').split('\n')).toEqual([
    'A person is needed: leadPipeline waits at approval: 2 conversions for 2,000 credits (“Acme Ltd” and 1 more)',
    '<https://ui.test/run|morning>',
    '• “Acme Ltd”, lead 5f2b: meets all rules: score 71, readiness 64 (at least 60, the default), 1,000 credits',
    'Left: Today (UTC): 6,000 of 8,000 credits are left; 2,000 credits spent; Balance: 50,000 credits',
    'Yes: `npx audit-runner approve morning` – it begins, and spends up to 2,000 credits',
    'No: `npx audit-runner reject morning` – it ends, and spends nothing',
  ]);
  const { data } = JSON.parse(BODIES.standard(asked, 'https://ui.test/run', new Date(0)));
  const { about, credits, shows, left, answers } = asked;
  expect(data).toMatchObject({ about, credits, shows, left, answers, link: 'https://ui.test/run' });
});

test('what a person did is told with who it was, by more than their own word', () => {
  const acted: Notice = { ...notice, kind: 'personActed', what: 'approve', by: 'the CFO' };
  const titles = [{}, { identity: '' }, { identity: 'ann@laptop' }, { identity: 'ann@laptop', principal: 'jwt:ann' }];
  expect(titles.map((who) => titleOf({ ...acted, ...who }))).toEqual(
    ['(client not known)', '(client without a name)', '(client: ann@laptop)', '(the server says: jwt:ann)'].map(
      (who) => `Account default: approve was said to leadPipeline by the CFO ${who}`,
    ),
  );
});

/** What somebody may call themselves, or a run. */
const HOSTILE = [
  ...['<!here|x>', '<https://evil.example|Sign in>', '<@U123>', '@channel', '@here', 'everyone@evil.example'],
  ...['https://evil.example/x', 'http://1.2.3.4', 'evil.example', 'www.evil.example', 'mailto:a@b', 'tel:112'],
  ...[
    '[Sign in](https://evil.example)',
    '`https://evil.example`',
    'a` https://evil.example `b',
    '``` https://evil.example',
  ],
  ...['Ops\nAccount default goes on', 'Ops\r\nApproved', 'Ops\u2028Approved', 'Ops\u0085Approved', 'Ops\u202e'],
];
/** What Slack, or who reads messages as it does, makes something of: outside of code, which ends with its line. */
const LINKS = /<(?!https:\/\/ui\.test\/)|https?:|\w\.\p{L}{2}|@|mailto:|tel:/iu;
const outsideOfCode = (line: string) => line.replace(/`[^`]*`/g, '');

test.each(HOSTILE)('nothing in %j calls anybody, links anywhere of its own accord, or is a line of its own', (text) => {
  const answers = [
    { means: text, update: text, data: text, follows: text, command: `npx audit-runner approve ${text}` },
  ];
  const notices: Notice[] = [
    { ...asked, what: text, about: text, shows: [text, `“${text}”, lead ${text}`], left: [text], answers },
    { ...notice, kind: 'personActed', by: text, identity: text, what: text },
    { ...notice, kind: 'personActed', by: text, principal: text, account: text, workflowType: text },
    { ...notice, kind: 'holdBegan', what: text },
    { ...notice, kind: 'batchEnded', what: text, counts: { [text]: 2 } },
  ];
  for (const one of notices.map((each) => ({ ...each, workflowId: text }))) {
    const lines = slack(one, 'https://ui.test/run').split('\n');
    expect(lines).toHaveLength(2 + (one.shows?.length ?? 0) + (one.left ? 1 : 0) + (one.answers?.length ?? 0));
    for (const line of lines) {
      const shown = outsideOfCode(line.replace(/^<https:\/\/ui\.test\/run\|([^<>]*)>$/, ''));
      expect(shown).not.toMatch(LINKS);
      expect(shown).not.toContain('`');
      expect(line).not.toMatch(/[\r\u0085\u2028\u202e]/);
    }
    expect(titleOf(one)).not.toMatch(/[\n\r\u0085\u2028\u202e]/);
  }
});

test('the check sees what it is to see', () => {
  for (const text of ['see evil.example', 'https://evil.example', '<https://evil.example|x>', 'a@b', '<!here>'])
    expect(outsideOfCode(text)).toMatch(LINKS);
  expect(outsideOfCode('`https://evil.example` said so. 1,000 credits')).not.toMatch(LINKS);
});
