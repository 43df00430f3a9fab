import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '../src/config';

const TOKEN = `aky_${'a'.repeat(32)}`;
let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'config-'));
  writeFileSync(join(cwd, 'token'), TOKEN);
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** Loads a file with an account in Berlin and this pipeline `p`. */
function load(pipeline: string) {
  const account = '{ baseUrl: https://api.example.com, tokenFile: token, timeZone: Europe/Berlin }';
  writeFileSync(join(cwd, 'audit-runner.yaml'), `accounts: { default: ${account} }\npipelines: { p: ${pipeline} }`);
  return loadConfig({ env: {}, cwd });
}

function problemsOf(pipeline: string): readonly string[] {
  try {
    load(pipeline);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('defaults', () => {
  it('a workflow and a time are enough; the account gives the time zone', () => {
    expect(load('{ workflow: leadPipeline, cron: 0 7 * * MON-FRI }').pipelines).toEqual({
      p: {
        name: 'p',
        account: 'default',
        workflow: 'leadPipeline',
        input: { account: 'default' },
        cron: ['0 7 * * MON-FRI'],
        offset: 0,
        timeZone: 'Europe/Berlin',
        jitter: 0,
        overlap: 'skip',
        catchupWindow: 3_600_000,
        paused: false,
        priority: 3,
      },
    });
  });

  it('an interval has no time zone of an account: changing that changes no interval', () => {
    expect(load('{ workflow: captureSweep, every: 10m, offset: 90s }').pipelines.p).toMatchObject({
      every: 600_000,
      offset: 90_000,
      cron: [],
      timeZone: 'UTC',
    });
  });

  it.each([
    ['ingestCapture, input: { captureId: c }', 3, 'a scheduled run stands behind those of people'],
    ['captureSweep', 4, 'a workflow that stands further back by itself stays there'],
    ['captureSweep, input: { priority: 1 }', 1, 'what the file says is kept'],
  ])('place in line: %s', (workflow, priority) => {
    const pipeline = load(`{ workflow: ${workflow}, every: 1h }`).pipelines.p;
    expect(pipeline).toMatchObject({ priority, input: { priority } });
  });

  it('no pipelines are none', () => expect(loadConfig({ env: {}, cwd }).pipelines).toEqual({}));
});

describe('problems are sentences', () => {
  it.each([
    ['{ cron: "@daily" }', 'p.workflow: expected the name of a workflow type'],
    [
      '{ workflow: leadPipline, cron: "@daily" }',
      "p.workflow: there is no workflow type 'leadPipline'; did you mean 'leadPipeline'?",
    ],
    ['{ workflow: leadPipeline }', 'p: when it runs must be said by either cron or every'],
    ['{ workflow: leadPipeline, cron: "@daily", every: 1h }', 'p: when it runs must be said by either cron or every'],
    ['{ workflow: leadPipeline, every: 600 }', "p.every: expected a duration such as '90s'"],
    ['{ workflow: leadPipeline, every: 0s }', 'p.every: at least 1s'],
    ['{ workflow: leadPipeline, every: 1.5s }', 'in whole seconds'],
    ['{ workflow: leadPipeline, every: 10m, offset: 10m }', 'p.offset: goes with every, and is shorter'],
    ['{ workflow: leadPipeline, cron: "@daily", offset: 10m }', 'p.offset: goes with every, and is shorter'],
    ['{ workflow: leadPipeline, cron: "@daily", catchupWindow: 5s }', 'p.catchupWindow: at least 10s'],
    ['{ workflow: leadPipeline, cron: "61 * * * *" }', "p.cron: '61' is no minute; allowed are 0 to 59"],
    [
      '{ workflow: leadPipeline, cron: ["@daily", "0 7 * *"] }',
      "p.cron.1: '0 7 * *' is no cron expression of five fields",
    ],
    ['{ workflow: leadPipeline, cron: 7 }', "p.cron: expected a cron expression such as '0 7 * * MON-FRI'"],
    ['{ workflow: leadPipeline, cron: [] }', 'p.cron: expected a cron expression'],
    ['{ workflow: leadPipeline, cron: "@daily", timeZone: Europe/Berln }', 'p.timeZone: not a time zone'],
    ['{ workflow: leadPipeline, cron: "@daily", overlap: none }', 'p.overlap: '],
    ['{ workflow: leadPipeline, cron: "@daily", catchUpWindow: 1h }', 'did you mean catchupWindow?'],
    ['{ workflow: leadPipeline, cron: "@daily", input: [] }', "p.input: expected the workflow's input: an object"],
    [
      '{ workflow: leadPipeline, cron: "@daily", account: acme }',
      "p.account: there is no account 'acme'; did you mean 'default'?",
    ],
    ['{ workflow: leadPipeline, cron: "@daily", input: { account: acme } }', "p.account: there is no account 'acme'"],
    [
      '{ workflow: leadPipeline, cron: "@daily", account: default, input: { account: acme } }',
      'p.account: the input names another account; give one of them',
    ],
    ['{ workflow: convertLead, cron: "@daily" }', 'p.input: leadId is missing'],
  ])('%s', (pipeline, sentence) => {
    expect(problemsOf(pipeline)).toEqual([expect.stringContaining(sentence)]);
  });

  it('all problems of an input are told, in the words of its workflow', () => {
    expect(
      problemsOf('{ workflow: leadPipeline, cron: "@daily", input: { maxCredit: 5, maxConversions: many } }'),
    ).toEqual([
      'pipelines.p.input: maxConversions was given text of 4 characters; allowed is a whole number from 0 to 400.',
      "pipelines.p.input: field 1 of the input is unknown (9 characters); did you mean 'maxCredits'?",
    ]);
  });

  it('a name that cannot be part of an ID is refused', () => {
    writeFileSync(
      join(cwd, 'audit-runner.yaml'),
      'pipelines: { "My leads": { workflow: leadPipeline, cron: "@daily" } }',
    );
    expect(() => loadConfig({ env: {}, cwd })).toThrow('the name of a pipeline has lower-case letters');
  });

  it('S4: a token is refused, and not printed', () => {
    const [problem, ...more] = problemsOf(`{ workflow: captureSweep, every: 1h, description: "use ${TOKEN}" }`);
    expect(problem).toBe('pipelines.p: a token does not belong here, where Temporal would show it');
    expect(more).toEqual([]);
  });
});
