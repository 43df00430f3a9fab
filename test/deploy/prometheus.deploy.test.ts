/** What Prometheus itself says of the rules, of their tests, and of what the dashboard asks it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { alerts, expressions, Rules } from '../metrics/expressions';
import { read, run, testWith } from './support';

const RULES = 'deploy/prometheus/alerts.yml';
const TESTS = 'test/deploy/prometheus/alerts.test.yml';

const Tests = z.looseObject({
  tests: z.array(
    z.looseObject({
      alert_rule_test: z.array(z.looseObject({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })),
    }),
  ),
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'promtool-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const promtool = (...args: string[]) => run('promtool', args);

test('each alert is tested firing and not firing', () => {
  const cases = Tests.parse(parse(read(TESTS))).tests.flatMap(({ alert_rule_test: all }) => all);
  const having = (fires: boolean) =>
    [
      ...new Set(cases.filter(({ exp_alerts: expected }) => expected.length > 0 === fires).map((one) => one.alertname)),
    ].sort();
  const names = alerts()
    .map(({ alert }) => alert)
    .sort();
  expect(having(true)).toEqual(names);
  expect(having(false)).toEqual(names);
});

testWith('promtool')('takes the rules and the example of its configuration', () => {
  expect(promtool('check', 'rules', '--lint=all', '--lint-fatal', RULES)).toMatchObject({ status: 0 });
  expect(promtool('check', 'config', 'deploy/prometheus/prometheus.yml')).toMatchObject({ status: 0 });
});

testWith('promtool')('finds every alert firing when it should, and only then', () => {
  expect(promtool('test', 'rules', TESTS)).toMatchObject({ status: 0 });
});

/** The tests of the rules, with another expression for one alert, or with none changed. */
function testsWith(name: string, alert?: string, expr?: string) {
  const { groups } = Rules.parse(parse(read(RULES)));
  const rules = groups.flatMap((group) => group.rules.map((rule) => (rule.alert === alert ? { ...rule, expr } : rule)));
  const file = path.join(folder, `${name}.yml`);
  writeFileSync(file, stringify({ groups: [{ name: 'audit-runner', rules }] }));
  const tests = path.join(folder, `${name}.test.yml`);
  const { tests: all, ...rest } = Tests.parse(parse(read(TESTS)));
  const own = all.filter(({ alert_rule_test: cases }) =>
    cases.some(({ alertname }) => (alert ?? alertname) === alertname),
  );
  writeFileSync(tests, stringify({ ...rest, tests: own, rule_files: [file] }));
  return promtool('test', 'rules', tests);
}

testWith('promtool')(
  'the tests of the rules can fail: for each alert, when it always fires, and when it never does',
  () => {
    expect(testsWith('as-it-is')).toMatchObject({ status: 0 });
    for (const { alert } of alerts())
      for (const [when, expr] of Object.entries({ never: 'vector(1) > 2', always: 'vector(1)' })) {
        const { status, output } = testsWith(`${alert}-${when}`, alert, expr);
        expect([alert, when, status, output.includes(alert)]).toEqual([alert, when, 1, true]);
      }
  },
);

testWith('promtool')('understands all that the dashboard asks', () => {
  const rules = expressions().map(({ expr }, n) => ({ record: `asked:${n}`, expr }));
  const file = path.join(folder, 'dashboard.yml');
  writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(promtool('check', 'rules', file)).toMatchObject({ status: 0 });
});
