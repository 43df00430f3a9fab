import type { Lead } from '../../src/agent-api/records';
import { LeadPipelineInput, type LeadPipelineJson } from '../../src/inputs/lead-pipeline';
import { parseInput } from '../../src/inputs/parse-input';
import { type Decision, decide, type ReasonCode, reasonText } from '../../src/leads/scoring';

const NOW = Date.UTC(2026, 0, 31, 8);

const lead = (fields: Partial<Lead> & Record<string, unknown> = {}): Lead => ({
  id: 'lead-1',
  surveyStatus: 'completed',
  createdAt: '2026-01-30T08:00:00Z',
  clientName: 'Jane Doe',
  businessName: 'Doe Bakery Ltd',
  clientEmail: 'jane.doe@mail.example.com',
  clientPhone: '+49 170 1234567',
  aiReadinessScore: 80,
  ...fields,
});

const judged = (fields: Record<string, unknown>, rules: LeadPipelineJson = {}): Decision =>
  decide(lead(fields), parseInput(LeadPipelineInput, rules, 'leadPipeline'), NOW);

describe('decide', () => {
  it('takes a lead that meets all rules, with its score and when it was created', () => {
    expect(judged({})).toEqual({
      id: 'lead-1',
      decision: 'candidate',
      score: 80,
      createdAt: Date.UTC(2026, 0, 30, 8),
      reasons: ['meetsAll'],
    });
  });

  const REQUIRED = [
    ['email', 'clientEmail', 'missingEmail'],
    ['phone', 'clientPhone', 'missingPhone'],
    ['businessName', 'businessName', 'missingBusinessName'],
    ['clientName', 'clientName', 'missingClientName'],
  ] as const;
  it.each(
    REQUIRED.flatMap(([name, field, reason]) =>
      [null, undefined, '', '  '].map((empty) => ({ name, field, reason, empty })),
    ),
  )('skips a lead whose required $name is $empty', ({ name, field, reason, empty }) => {
    const rules: LeadPipelineJson = { scoring: { require: [name, name] } };
    expect(judged({ [field]: empty }, rules)).toMatchObject({ decision: 'skip', reasons: [reason] });
    expect(judged({ [field]: 'x' }, rules)).toMatchObject({ decision: 'candidate' });
  });

  it.each<[what: string, fields: Record<string, unknown>, rules: LeadPipelineJson, reason: ReasonCode]>([
    ['converted already', { surveyStatus: 'converted' }, {}, 'alreadyConverted'],
    ['converted already, in capitals', { surveyStatus: ' Converted' }, {}, 'alreadyConverted'],
    ['pending', { surveyStatus: 'pending' }, {}, 'statusNotWanted'],
    ['of a status that does not exist yet', { surveyStatus: 'qualified' }, {}, 'statusNotWanted'],
    ['completed, where archived is wanted', {}, { surveyStatus: ['archived'] }, 'statusNotWanted'],
    ['too old', {}, { createdSince: '23h' }, 'createdBefore'],
    ['before a moment', {}, { createdSince: '2026-01-30T08:00:01Z' }, 'createdBefore'],
    ['without a creation time', { createdAt: null }, { createdSince: '7d' }, 'createdUnknown'],
    ['with an unreadable creation time', { createdAt: 'soon' }, { createdSince: '7d' }, 'createdUnknown'],
    ['without a score', { aiReadinessScore: null }, {}, 'noScore'],
    ['with NaN as score', { aiReadinessScore: Number.NaN }, {}, 'noScore'],
    ['with an infinite score', { aiReadinessScore: Number.POSITIVE_INFINITY }, {}, 'noScore'],
    ['with words as score', { aiReadinessScore: 'high' }, {}, 'noScore'],
    ['with nothing as score', { aiReadinessScore: '' }, {}, 'noScore'],
    ['with an object as score', { aiReadinessScore: { value: 80 } }, {}, 'noScore'],
    [
      'without any score, where a score is asked',
      { aiReadinessScore: null },
      { scoring: { minReadiness: 0, minScore: 1 } },
      'noScore',
    ],
    ['with a score above 100', { aiReadinessScore: 850 }, {}, 'scoreOutOfRange'],
    ['with a score below 0', { aiReadinessScore: -1 }, { scoring: { minReadiness: 0 } }, 'scoreOutOfRange'],
    ['with a text above 100 as score', { aiReadinessScore: '100.5' }, {}, 'scoreOutOfRange'],
    ['with a composite score above 100', { compositeScore: 101 }, {}, 'scoreOutOfRange'],
    ['below the readiness', { aiReadinessScore: 59.9 }, {}, 'belowReadiness'],
    ['below the readiness, as text', { aiReadinessScore: '59' }, {}, 'belowReadiness'],
    ['below the composite', { compositeScore: 40 }, { scoring: { minComposite: 50 } }, 'belowComposite'],
    ['below the score', { compositeScore: 40 }, { scoring: { minScore: 61 } }, 'belowScore'],
    ['of an excluded name', {}, { scoring: { exclude: { names: ['JANE   doe'] } } }, 'excludedName'],
    ['of an excluded business', {}, { scoring: { exclude: { names: ['*bakery*'] } } }, 'excludedName'],
    ['of an excluded domain', {}, { scoring: { exclude: { emailDomains: ['@MAIL.example.com'] } } }, 'excludedDomain'],
    ['of an excluded subdomain', {}, { scoring: { exclude: { emailDomains: ['example.com'] } } }, 'excludedDomain'],
    [
      'of an excluded domain, second address',
      { clientEmail: 'J <j@a.org>; x@test.example.' },
      { scoring: { exclude: { emailDomains: ['test.example'] } } },
      'excludedDomain',
    ],
  ])('skips a lead %s', (_what, fields, rules, reason) => {
    expect(judged(fields, rules)).toMatchObject({ decision: 'skip', reasons: [reason] });
  });

  it.each<[what: string, fields: Record<string, unknown>, rules: LeadPipelineJson]>([
    ['at the very minimum', { aiReadinessScore: 60 }, {}],
    ['with its score as text', { aiReadinessScore: ' 80.5 ' }, {}],
    ['at the end of the scale', { aiReadinessScore: 100, compositeScore: 0 }, {}],
    ['without a composite score, where a least one is set', {}, { scoring: { minComposite: 90 } }],
    ['without any score, where none is asked', { aiReadinessScore: null }, { scoring: { minReadiness: 0 } }],
    ['exactly as old as allowed', {}, { createdSince: '24h' }],
    ['of another wanted status', { surveyStatus: 'archived' }, { surveyStatus: ['pending', 'archived'] }],
    ['that only begins like an excluded name', {}, { scoring: { exclude: { names: ['Jane'] } } }],
    [
      'whose domain only ends like an excluded one',
      { clientEmail: 'j@notexample.com' },
      { scoring: { exclude: { emailDomains: ['example.com'] } } },
    ],
    [
      'without e-mail address, where domains are excluded',
      { clientEmail: null },
      { scoring: { exclude: { emailDomains: ['example.com'] } } },
    ],
  ])('takes a lead %s', (_what, fields, rules) => {
    expect(judged(fields, rules)).toMatchObject({ decision: 'candidate', reasons: ['meetsAll'] });
  });

  it.each<
    [
      fields: Record<string, unknown>,
      weights: NonNullable<LeadPipelineJson['scoring']>['weights'],
      score: number | null,
    ]
  >([
    [{ compositeScore: 60 }, {}, 70],
    [{ compositeScore: 60 }, { readiness: 3 }, 75],
    [{ compositeScore: 60 }, { composite: 0 }, 80],
    [{ compositeScore: '60' }, { readiness: 0 }, 60],
    [{}, { readiness: 0 }, null],
    [{ compositeScore: null }, { composite: 5 }, 80],
    [{ compositeScore: 70, aiReadinessScore: 61 }, { readiness: 2 }, 64],
    [{ compositeScore: 77, aiReadinessScore: 66 }, { readiness: 2 }, 69.67],
    [{}, { hasEmail: 5, hasPhone: 2.5 }, 87.5],
    [{ clientEmail: ' ' }, { hasEmail: 5, hasPhone: 2.5 }, 82.5],
    [{ aiReadinessScore: null }, { hasEmail: 5 }, null],
  ])('scores %j with the weights %j as %p', (fields, weights, score) => {
    expect(judged(fields, { scoring: { ...(weights && { weights }) } }).score).toBe(score);
  });

  it('gives all reasons, the weightiest first', () => {
    const fields = { surveyStatus: 'pending', aiReadinessScore: 5, clientPhone: null, clientName: 'Test' };
    const rules: LeadPipelineJson = {
      createdSince: '1h',
      scoring: { minScore: 50, require: ['phone'], exclude: { names: ['test'], emailDomains: ['example.com'] } },
    };
    expect(judged(fields, rules).reasons).toEqual([
      'statusNotWanted',
      'createdBefore',
      'belowReadiness',
      'belowScore',
      'missingPhone',
      'excludedName',
      'excludedDomain',
    ]);
    for (const reason of judged(fields, rules).reasons) expect(reasonText(reason)).toMatch(/^\w.* .*[^.]$/);
  });

  it('S4: returns nothing but the ID, scores, a time and codes', () => {
    const rules: LeadPipelineJson = { scoring: { exclude: { names: ['Jane*'], emailDomains: ['example.com'] } } };
    const decision = judged({ compositeScore: 'Jane', webResearchStatus: 'about Jane' }, rules);
    expect(Object.keys(decision).sort()).toEqual(['createdAt', 'decision', 'id', 'reasons', 'score']);
    expect(JSON.stringify(decision)).not.toMatch(/jane|doe|example|170/i);
  });
});

describe('excluded names', () => {
  /** The slow and plain meaning of a pattern, to compare with. */
  const meant = (name: string, pattern: string): boolean =>
    pattern === ''
      ? name === ''
      : pattern.startsWith('*')
        ? meant(name, pattern.slice(1)) || (name !== '' && meant(name.slice(1), pattern))
        : name !== '' && name[0] === pattern[0] && meant(name.slice(1), pattern.slice(1));

  it('match as the plain meaning of * does, for every short name and pattern', () => {
    const words = (letters: string[], longest: number): string[] =>
      longest === 0 ? [''] : ['', ...letters.flatMap((l) => words(letters, longest - 1).map((word) => l + word))];
    const names = new Set(words(['a', 'b'], 4));
    const patterns = new Set(words(['a', 'b', '*'], 4).filter((pattern) => /[^*]/.test(pattern)));
    const base = parseInput(LeadPipelineInput, {}, 'leadPipeline');
    for (const pattern of patterns) {
      const rules = { ...base, scoring: { ...base.scoring, exclude: { names: [pattern], emailDomains: [] } } };
      for (const name of names) {
        const excluded = decide(lead({ clientName: name, businessName: null }), rules, NOW).decision === 'skip';
        expect(`${name} ${pattern} ${excluded}`).toBe(`${name} ${pattern} ${name !== '' && meant(name, pattern)}`);
      }
    }
  });

  it('cost no time where a hostile name meets many stars', () => {
    const names = ['*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b'];
    const start = performance.now();
    expect(judged({ clientName: 'a'.repeat(100_000) }, { scoring: { exclude: { names } } }).decision).toBe('candidate');
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
