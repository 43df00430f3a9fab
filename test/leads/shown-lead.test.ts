import type { Lead } from '../../src/agent-api/records';
import { businessName, shortfall, shownLead } from '../../src/leads/shown-lead';

const lead = (fields: Partial<Lead>): Lead => ({ id: 'lead-1', ...fields }) as Lead;

describe('S4: of a lead people are shown the business and its scores', () => {
  test.each([
    ['Acme Ltd', 'Acme Ltd'],
    ['  Acme \n Ltd ', 'Acme Ltd'],
    ['Studio 54', 'Studio 54'],
    ['Bäckerei Müller & Söhne', 'Bäckerei Müller & Söhne'],
    ['A\u202eB', 'AB'],
    ['x'.repeat(80), `${'x'.repeat(59)}…`],
  ])('%j is shown as %j', (given, shown) => {
    expect(businessName(lead({ businessName: given }))).toBe(shown);
  });

  test.each([
    ['an e-mail address', 'jane@acme.example'],
    ['a phone number', 'Call +44 (0)20 7946 0958'],
    ['a web page', 'https://acme.example/jane'],
    ['an access token', `aky_${'a'.repeat(32)}`],
    ['a phone number with other signs', '030−123−4567'],
    ['a phone number with points', '030 · 123 · 4567'],
    ['a phone number in other digits', '٠٣٠ ١٢٣ ٤٥٦٧'],
    ['an address in words', 'jane at acme dot com'],
    ['a page without its scheme', 'Pay at evil.example/x'],
    ['what a terminal would obey', 'Acme &#27;[2J'],
    ['the name of the person', 'JANE  Doe'],
    ['the name of the person, turned', 'Doe, Jane'],
    ['the name of the person, with more', 'Jane Doe Consulting'],
    ['nothing', '   '],
  ])('but no text that holds %s', (_, given) => {
    expect(businessName(lead({ businessName: given, clientName: 'Jane Doe' }))).toBeUndefined();
  });

  it('and no name where the account shows none', () => {
    const one = lead({ businessName: 'Acme', aiReadinessScore: 64, compositeScore: 700 });
    expect(shownLead(one, 'business')).toEqual({ name: 'Acme', readiness: 64 });
    expect(shownLead(one, 'none')).toEqual({ readiness: 64 });
  });
});

test('a score that is too low says by how much', () => {
  const limits = { minReadiness: 60, minScore: 50 };
  const found = { readiness: 24, score: 41.5 };
  expect(shortfall('belowReadiness', found, limits)).toBe('readiness 24 of at least 60');
  expect(shortfall('belowScore', found, limits)).toBe('score 41.5 of at least 50');
  expect(shortfall('belowComposite', found, limits)).toBeUndefined();
  expect(shortfall('missingEmail', found, limits)).toBeUndefined();
});
