/** The expressions of the dashboard and of the alerts, and the metrics that they name. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { packageRoot } from '../../src/temporal/package-root';

const read = (file: string) => readFileSync(join(packageRoot(), file), 'utf8');

export const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.looseObject({ alert: z.string(), expr: z.string(), annotations: z.looseObject({ runbook: z.string() }) }),
      ),
    }),
  ),
});
export const alerts = () =>
  Rules.parse(parse(read('deploy/prometheus/alerts.yml'))).groups.flatMap(({ rules }) => rules);

const Panel = z.object({
  id: z.number(),
  title: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(z.object({ expr: z.string() })).default([]),
});
const Dashboard = z.object({
  panels: z.array(Panel),
  templating: z.object({
    list: z.array(z.object({ name: z.string(), query: z.union([z.string(), z.object({ query: z.string() })]) })),
  }),
});
export const dashboard = () => Dashboard.parse(JSON.parse(read('deploy/grafana/audit-runner.json')));

/** Every expression that Prometheus is asked, with the dashboard's variables filled in. */
export function expressions(): { from: string; expr: string }[] {
  const { panels, templating } = dashboard();
  return [
    ...alerts().map(({ alert, expr }) => ({ from: alert, expr })),
    ...panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ from: title, expr: expr.replaceAll('$account', '.*') })),
    ),
    ...templating.list.flatMap(({ name, query }) => {
      const [, metric] = /^label_values\((\w+),/.exec(typeof query === 'string' ? query : query.query) ?? [];
      return metric === undefined ? [] : [{ from: name, expr: metric }];
    }),
  ];
}

/** Metrics of the selectors of an expression: names that are no function, no keyword, and no label in a list or matcher. */
export function metricsOf(expr: string): string[] {
  const bare = expr
    .replace(/"[^"]*"/g, '""')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = [...bare.matchAll(/(?<![\w.+])([a-zA-Z_]\w*)(?!\w*\s*\()/g)].map(([, name = '']) => name);
  return names.filter((name) => !/^(and|or|unless|bool|Inf)$/.test(name));
}
