import type { Opportunity } from '../../src/agent-api';
import { type AuditReport, renderReport } from '../../src/report';

const report = (opportunities: Partial<Opportunity>[]): AuditReport => ({
  project: { id: 'p1' },
  opportunities: opportunities.map((fields, index) => ({
    id: `o${index + 1}`,
    title: `Title ${index + 1}`,
    ...fields,
  })),
  categories: {},
});
const at = (impactScore: number | null | undefined, effortScore: number | null | undefined) => ({
  impactScore,
  effortScore,
});

/** Number and centre of each point that is drawn. */
const pointsOf = ({ svg = '' }: { svg: string | undefined }) =>
  [...svg.matchAll(/<g class="point">.*?<text class="g-text[^"]*" x="([\d.]+)" y="([\d.]+)"[^>]*>(\d+)</gs)].map(
    ([, x, y, number]) => ({ number: Number(number), x: Number(x), y: Number(y) }),
  );

it('puts more impact higher and more effort to the right, evenly', () => {
  const points = pointsOf(renderReport(report([at(1, 1), at(10, 10), at(5, 6)])));
  const [low, high, middle] = points;
  if (low === undefined || high === undefined || middle === undefined) throw new Error('a point is missing');
  expect(points).toHaveLength(3);
  expect(high.x - low.x).toBeCloseTo((9 / 5) * (middle.x - low.x));
  expect(low.y - high.y).toBeCloseTo((9 / 4) * (low.y - middle.y));
  expect(low.x).toBeLessThan(high.x);
  expect(low.y).toBeGreaterThan(high.y);
});

it('draws those at the same place side by side', () => {
  for (const count of [2, 3, 4, 5, 6, 7, 8, 9]) {
    const points = pointsOf(renderReport(report(Array.from({ length: count }, () => at(8, 3)))));
    expect(points.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(new Set(points.map(({ x, y }) => `${x} ${y}`)).size).toBe(count);
  }
});

it('says which ones it has no room for', () => {
  const rendered = renderReport(report(Array.from({ length: 12 }, () => at(8, 3))));
  expect(pointsOf(rendered).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(rendered.svg).toContain('>+4<');
  expect(rendered.html).toContain('at impact 8, effort 3: No. 9, 10, 11, 12');
});

it('lists what has no place, and draws a fraction in the nearest square', () => {
  const odd = [
    at(0, 5),
    at(11, 5),
    at(5, undefined),
    at(null, null),
    at(Number.NaN, 1),
    at(5, 10.4),
    at(7.5, 2.2),
    at(8, 2),
  ];
  const rendered = renderReport(report(odd));
  const points = pointsOf(rendered);
  expect(points.map(({ number }) => number)).toEqual([7, 8]);
  expect(points[0]?.y).toBe(points[1]?.y);
  const [, list = ''] = /id="not-placed">(.*?)<\/ul>/s.exec(rendered.html) ?? [];
  expect(list.match(/No\. \d/g)).toEqual(['No. 1', 'No. 2', 'No. 3', 'No. 4', 'No. 5', 'No. 6']);
  expect(list).toContain('impact 11, effort 5');
  expect(list).toContain('impact 5, effort not given');
});

it('says in words what it shows', () => {
  const { svg = '', html } = renderReport({ ...report([at(8, 3), at(2, 0)]), categories: { big_swings: ['o1'] } });
  expect(svg).toContain('role="img" aria-labelledby="matrix-title" aria-describedby="matrix-desc"');
  expect(svg).toContain('Placed: 1; not placed: 1.\n1. Title 1: impact 8, effort 3');
  expect(svg).toContain('<title>1. Title 1 — impact 8, effort 3, Big swings</title>');
  expect(svg).not.toContain('Quick wins');
  expect(html).toContain(svg.split('\n').slice(1, -1).join('\n'));
});
