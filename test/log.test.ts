import { createLogger } from '../src/log';
import { looksLikePath, redactText } from '../src/redact';

const TOKEN = `aky_${'a1B2'.repeat(8)}`;
const SECRETS = [
  TOKEN,
  'ada@example.com',
  '+49 30 1234',
  'Ada Lovelace',
  'Analytical Engines',
  'what was said',
  'dGhlIHRhc2s=',
];

/** Everything that the calls of `use` wrote. */
function written(use: (log: ReturnType<typeof createLogger>) => void, pretty = false): string {
  const lines: string[] = [];
  use(createLogger({ level: 'trace', pretty, output: { write: (line) => lines.push(line) } }));
  return lines.join('');
}

const lead = {
  id: 'lead-1',
  clientEmail: 'ada@example.com',
  clientPhone: '+49 30 1234',
  clientName: 'Ada Lovelace',
  businessName: 'Analytical Engines',
};

const leaks: [string, (log: ReturnType<typeof createLogger>) => void][] = [
  ['in the message', (log) => log.info(`token ${TOKEN} used`)],
  ['in an argument of the message', (log) => log.info('token %s and %j', TOKEN, { token: TOKEN })],
  ['in an object', (log) => log.info({ lead }, 'kept')],
  [
    'deep inside',
    (log) => log.info({ a: [{ b: { leads: [lead, { headers: { Authorization: `Bearer ${TOKEN}` } }] } }] }),
  ],
  ['under other spellings', (log) => log.info({ client_email: 'ada@example.com', 'CLIENT-PHONE': '+49 30 1234' })],
  ['as a number or an object', (log) => log.info({ phone: { raw: '+49 30 1234' }, rawContent: ['what was said'] })],
  ['as what answers a task', (log) => log.info({ taskToken: 'dGhlIHRhc2s=' })],
  ['in the bindings of a child', (log) => log.child({ account: { token: TOKEN }, note: TOKEN }).info('kept')],
  ['as a key', (log) => log.info({ [TOKEN]: 1 })],
  ['in an error', (log) => log.error(new Error(`refused ${TOKEN}`))],
  ['in the cause of an error', (log) => log.error(new Error('x', { cause: new Error(`y ${TOKEN}`) }))],
  ['in the fields of an error', (log) => log.error(Object.assign(new Error('x'), { config: { lead, url: TOKEN } }))],
  ['in an error among others', (log) => log.error({ error: new AggregateError([new Error(TOKEN)], 'x'), lead }, 'y')],
  ['in a text that holds JSON', (log) => log.info(JSON.stringify({ token: TOKEN, nested: JSON.stringify(TOKEN) }))],
];

describe.each([
  ['JSON', false],
  ['for a person', true],
])('S4: nothing leaks (%s)', (_, pretty) => {
  it.each(leaks)('%s', (_where, use) => {
    const output = written(use, pretty);
    expect(output).toContain('[redacted]');
    for (const secret of SECRETS) expect(output).not.toContain(secret);
    expect(output).not.toContain(TOKEN.slice(4, 12));
  });
});

it('keeps everything else', () => {
  const line = JSON.parse(written((log) => log.warn({ lead, count: 3, none: null, list: [1, 'x'] }, 'done')));
  expect(line).toMatchObject({ level: 40, msg: 'done', count: 3, none: null, list: [1, 'x'], lead: { id: 'lead-1' } });
});

it('keeps the stack and the causes of an error', () => {
  const output = written((log) => log.error({ error: new Error('outer', { cause: new Error('inner') }) }, 'failed'));
  const { error } = JSON.parse(output);
  expect(error).toMatchObject({ type: 'Error', message: 'outer', cause: { message: 'inner' } });
  expect(error.stack).toContain('log.test.ts');
});

it('survives a circular object', () => {
  const circle: Record<string, unknown> = { token: TOKEN };
  circle.self = circle;
  expect(written((log) => log.info({ circle }))).not.toContain(TOKEN);
});

it('redacts a token that has other text around it, and leaves its prefix alone', () => {
  expect(redactText(`x${TOKEN}-y`)).toBe('x[redacted]-y');
  expect(redactText('the prefix aky_ is fine')).toBe('the prefix aky_ is fine');
});

it('S4: redacts a JSON Web Token, such as the key of a hosted Temporal server, and takes no longer for a hostile text', () => {
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJhY2NvdW50X2lkIjoiYTEifQ.c2lnbmF0dXJl';
  expect(written((log) => log.info({ key: `Bearer ${jwt}` }, `with ${jwt}, denied`))).not.toMatch(/eyJ|c2lnbmF0dXJl/);
  expect(redactText('eyJ, eyJob.txt and eyJobs-of-2026')).toBe('eyJ, eyJob.txt and eyJobs-of-2026');
  const hostile = 'eyJ'.repeat(100_000);
  expect(redactText(hostile)).toBe(hostile);
});

it('takes its level from LOG_LEVEL, and info when that is none', () => {
  const level = process.env.LOG_LEVEL;
  try {
    process.env.LOG_LEVEL = 'warn';
    expect(createLogger().level).toBe('warn');
    process.env.LOG_LEVEL = 'loud';
    expect(createLogger().level).toBe('info');
  } finally {
    if (level === undefined) delete process.env.LOG_LEVEL;
    else process.env.LOG_LEVEL = level;
  }
});

test('S4: nor in JSON, which people look at in a terminal too; it says the same', () => {
  const text = 'a \u009b2J \u202e \u007f \u001b]0;x\u0007 \u2066 é 漢';
  const output = written((log) => log.warn({ id: text }, text));
  expect(JSON.parse(output)).toMatchObject({ id: text, msg: text });
  expect(output.trimEnd()).toMatch(/^[^\p{Cc}\p{Cf}]+$/u);
  expect(output).toContain('é 漢');
});

test('S4: in a terminal nothing that others have chosen is obeyed', () => {
  const output = written((log) => log.warn({ id: '\u001b]0;x\u0007\u202egpj' }, 'run \u001b[2J'), true);
  for (const obeyed of ['\u001b]', '\u001b[2J', '\u0007', '\u202e']) expect(output).not.toContain(obeyed);
});

it('S4: tells the name of a file from what belongs in the file', () => {
  const paths = [
    '/run/secrets/encryption-key',
    './keys',
    '../keys',
    '~/a/key.pem',
    'C:\\keys\\client.key',
    '/Users/ada/my keys',
  ];
  expect(paths.filter((path) => !looksLikePath(path))).toEqual([]);
  const secrets = [
    'a-secret-of-the-test',
    '-----BEGIN PRIVATE KEY-----',
    'MIIEvQIBADANBgkqhkiG9w0/AQEFAASCBKcwggSjAgEAAoIBAQC7',
    'q/7wYxq0bq8m1S5mYz0c4m9v0Zt3yZc1n2o3p4q5r6s=',
    'abc.def/x,q/7wYxq0bq8m1S5mYz0c4m9v0Zt3yZc1n2o3p4q5r6s=',
  ];
  expect(secrets.filter(looksLikePath)).toEqual([]);
});
