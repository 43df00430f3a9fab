import { BODIES, type Notice, titleOf } from '../../src/notify/message';

const notice: Notice = {
  ...{ kind: 'personNeeded', account: 'default', workflowType: 'leadPipeline', what: 'approval', nth: 1 },
  ...{ workflowId: 'nightly <!channel> & more', runId: 'run-1' },
};

test('for Slack a notice is one text: what it is about, and the run with its link', () => {
  const { text, ...rest } = JSON.parse(BODIES.slack(notice, 'https://ui.test/run')) as { text: string };
  expect(rest).toEqual({});
  expect(text).toBe(
    'A person is needed: leadPipeline waits at approval\n<https://ui.test/run|nightly &lt;!channel&gt; &amp; more>',
  );
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

test('nothing in it calls anybody or links anywhere of its own accord', () => {
  const { text } = JSON.parse(BODIES.slack({ ...notice, what: '<!here|x>' }, undefined)) as {
    text: string;
  };
  expect(text).not.toMatch(/[<>]/);
});
