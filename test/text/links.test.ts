import { formPath, linkToDocument, linkToList, linkToRun } from '../../src/text/links';

/** Where a link of the frame leads, wherever the Web UI is. */
const led = (markdown: string, frame: string) => {
  const [, address = ''] = /^\[(?:[^\\\]]|\\.)*\]\(([^()\s]*)\)$/s.exec(markdown) ?? [];
  return new URL(address, frame);
};

const HOSTILE = [
  ...[
    'a/b',
    'a%2Fb',
    '100%',
    'a](http://evil.example)b',
    'x)[y](z',
    '<b>bold</b>',
    'q?a=1#h',
    '{workflowId}',
    '`code`',
  ],
  ...[
    'ü 日本',
    '*e* _f_ ~~g~~',
    'a\\b',
    '$x$',
    'a"b',
    "it's",
    'a|b',
    'a+b',
    'http://evil.example/',
    'line\nbreak',
    '![i](x)',
  ],
];

test.each(HOSTILE)('the ID %j breaks no link and is no markup', (id) => {
  const link = linkToRun('default', id).source;
  for (const [frame, path] of [
    ['http://localhost:8233/render?content=x', ''],
    ['https://tools.example/temporal/render?content=x', '/temporal'],
  ] as const) {
    const url = led(link, frame);
    expect(url.origin).toBe(new URL(frame).origin);
    expect(url.pathname.startsWith(`${path}/namespaces/default/workflows/`)).toBe(true);
    expect(decodeURIComponent(url.pathname.split('/').at(-1) ?? '')).toBe(id);
    expect([url.search, url.hash]).toEqual(['', '']);
  }
});

test('an ID that browsers take for a path, or that has half a character, does no harm', () => {
  expect(linkToRun('default', '..').source).toBe('..');
  expect(linkToRun('default', '.', 'run').source).toBe('run');
  expect(linkToRun('default', 'a\ud800').source).toBe('[a\ufffd](namespaces/default/workflows/a%EF%BF%BD)');
});

test('lists and forms keep their fields', () => {
  const query = 'Account = "a_b" AND Stage IN ("failed") OR ExecutionStatus = "Failed"';
  const list = led(linkToList('a b/c', query, 'what failed').source, 'http://localhost/render');
  expect(list.pathname).toBe('/namespaces/a%20b%2Fc/workflows');
  expect(list.searchParams.get('query')).toBe(query);
  const fields = { workflowType: 'callApi', taskQueue: 'audit-runner', workflowId: 'a&b=c', runId: 'r' };
  const form = new URL(formPath('default', fields), 'http://localhost/render');
  expect(form.pathname).toBe('/namespaces/default/workflows/start-workflow');
  expect(Object.fromEntries(form.searchParams)).toEqual(fields);
});

test('a document on the web is a link, and of any other only the address is shown', () => {
  expect(linkToDocument('https://s3.example/bucket/a_(1).html', 'report.html').source).toBe(
    '[report.html](https://s3.example/bucket/a%5F%281%29.html)',
  );
  expect(linkToDocument('http://[::1]:9000/b/r.html?x=1', 'report').source).toBe(
    '[report](http://[::1]:9000/b/r.html?x=1)',
  );
  expect(linkToDocument('https://x.example/){evil}\n[a](https://evil.example)', 'report').source).not.toMatch(
    /evil\.example\)./,
  );
  expect(linkToDocument('file:///srv/storage/report.html', 'report').source).toBe('`file:///srv/storage/report.html`');
  expect(linkToDocument('javascript:alert(1)', 'report').source).toBe('`javascript:alert(1)`');
  expect(linkToDocument('not an address', 'report').source).toBe('`not an address`');
});
