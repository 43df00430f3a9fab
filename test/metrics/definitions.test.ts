/** The table of metrics, what measures with it, and what refers to it: dashboard, alerts, runbook. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGate } from '../../src/agent-api/gate';
import { METRICS, metricNames } from '../../src/metrics/definitions';
import { measuredGate } from '../../src/metrics/measured-calls';
import { count, gauge, isMeasured, measureWith, observe } from '../../src/metrics/meter';
import { packageRoot } from '../../src/temporal/package-root';
import { alerts, dashboard, expressions, metricsOf } from './expressions';

afterEach(() => measureWith(undefined));

describe('definitions', () => {
  test('S4: labels are of those whose values are few', () => {
    const labels = new Set(metricNames.flatMap((name) => METRICS[name].labels));
    expect([...labels].sort()).toEqual(['account', 'hold', 'outcome', 'queue', 'rate_class', 'route', 'workflow']);
  });

  test('names say what they are, as Prometheus has it', () => {
    for (const name of metricNames) {
      expect(name).toMatch(/^audit_runner_[a-z]+(_[a-z]+)*$/);
      expect([name, name.endsWith('_total')]).toEqual([name, METRICS[name].kind === 'counter']);
      expect([name, name.endsWith('_seconds')]).toEqual([name, METRICS[name].unit === 's']);
    }
  });
});

describe('measuring', () => {
  const meterThat = (fails: boolean) => {
    const heard: [string, number, unknown][] = [];
    const record = (name: string) => (value: number, labels: unknown) => {
      if (fails) throw new Error('the meter fails');
      heard.push([name, value, labels]);
    };
    const meter = {
      createCounter: (name: string) => ({ add: record(name) }),
      createGauge: (name: string) => ({ set: record(name) }),
      createHistogram: (name: string) => ({ record: record(name) }),
    };
    return { heard, meter: meter as unknown as Parameters<typeof measureWith>[0] };
  };
  const all = () => {
    count('audit_runner_credits_booked_total', { account: 'a' }, 1_000);
    gauge('audit_runner_credits_balance', { account: 'a' }, -5);
    gauge('audit_runner_credits_balance', { account: 'a' }, Number.NaN);
    observe('audit_runner_permit_wait_seconds', { account: 'a', rate_class: 'reads' }, 0.5);
  };

  test('goes to the meter, and no gauge below 0, which it would refuse', () => {
    const { heard, meter } = meterThat(false);
    measureWith(meter);
    all();
    expect(heard).toEqual([
      ['audit_runner_credits_booked_total', 1_000, { account: 'a' }],
      ['audit_runner_credits_balance', 0, { account: 'a' }],
      ['audit_runner_permit_wait_seconds', 0.5, { account: 'a', rate_class: 'reads' }],
    ]);
  });

  test('a meter that fails, fails nothing else', () => {
    measureWith(meterThat(true).meter);
    expect(all).not.toThrow();
  });

  test('does nothing where metrics are off: the gate is the very same one', () => {
    expect(isMeasured()).toBe(false);
    expect(all).not.toThrow();
    const limit = { max: 10, windowMs: 1_000 };
    const gate = createGate({ limits: { reads: limit, writes: limit, polls: limit, notes: limit, audits: limit } });
    expect(measuredGate('a', gate)).toBe(gate);
    measureWith(meterThat(false).meter);
    expect(measuredGate('a', gate)).not.toBe(gate);
  });
});

describe('dashboard and alerts', () => {
  const named = expressions().flatMap(({ from, expr }) => metricsOf(expr).map((name) => ({ from, name })));

  test('the names of metrics are found in an expression', () => {
    expect(metricsOf('sum by (a) (rate(x_total{b="c d"}[5m])) / max by(a) (y) < +Inf or time() - 5e3 > 0')).toEqual([
      'x_total',
      'y',
    ]);
  });

  test('ask for metrics that are defined; those of the SDK are compared with a real endpoint', () => {
    const exist = new Set(
      metricNames.flatMap((name): string[] => (METRICS[name].kind === 'histogram' ? [`${name}_bucket`] : [name])),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ name }) => !name.startsWith('temporal_') && !exist.has(name))).toEqual([]);
  });

  test('every metric is on the dashboard', () => {
    const shown = new Set(dashboard().panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsOf(expr))));
    const missing = metricNames.filter((name) => !shown.has(name) && !shown.has(`${name}_bucket`));
    // The price is in the alert alone.
    expect(missing).toEqual(['audit_runner_credits_conversion_price']);
  });

  test('no panel covers another one', () => {
    const taken = new Map<string, string>();
    const { panels } = dashboard();
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([title, taken.get(`${x} ${y}`)]).toEqual([title, undefined]);
          taken.set(`${x} ${y}`, title);
        }
    }
  });

  test('each alert has its paragraph in docs/alerts.md, where its link leads, and each paragraph its alert', () => {
    const headings = [...readFileSync(join(packageRoot(), 'docs/alerts.md'), 'utf8').matchAll(/^### (\w+)$/gm)];
    expect(headings.map(([, name]) => name).sort()).toEqual(
      alerts()
        .map(({ alert }) => alert)
        .sort(),
    );
    for (const { alert, annotations } of alerts())
      expect(annotations.runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
  });

  test('the table in docs/alerts.md is that of the definitions', () => {
    const text = readFileSync(join(packageRoot(), 'docs/alerts.md'), 'utf8');
    const rows = metricNames.map((name) => {
      const { kind, labels, about } = METRICS[name];
      return `| \`${name}\` | ${kind} | ${labels.join(', ')} | ${about} |`;
    });
    expect(text.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
  });
});
