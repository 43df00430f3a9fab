import { z } from 'zod';
import { allFields, describable } from '../../src/inputs/allowed';
import { ConvertLeadInput } from '../../src/inputs/convert-lead';
import { LeadPipelineInput, needsApproval, resolveApproval } from '../../src/inputs/lead-pipeline';
import { InputError, parseInput } from '../../src/inputs/parse-input';
import { kindOf } from '../../src/inputs/problem-words';
import { problemsOf, WRONG, withField } from './wrong-inputs';

describe.each(Object.entries(WRONG))('the input of %s', (_type, { schema, valid, fields }) => {
  const paths = allFields(describable(schema));

  it('has a wrong value tried for each of its fields', () => {
    expect(Object.keys(fields).sort()).toEqual(paths.map((path) => path.join('.')).sort());
  });

  it('is valid before a field is made wrong', () => {
    expect(problemsOf(schema, valid)).toEqual([]);
  });

  it.each(
    Object.entries(fields).flatMap(([path, cases]) => cases.map(([wrong, allowed]) => ({ path, wrong, allowed }))),
  )('refuses $path = $wrong in one sentence that names the field, what was given and what is allowed', (wrongCase) => {
    const { path, wrong, allowed } = wrongCase;
    // What concerns several fields together, or another field of the same object, is a sentence of its own.
    const problems = problemsOf(schema, withField(valid, path.split('.'), wrong)).filter((one) =>
      one.startsWith(`${path} `),
    );
    expect(problems).toHaveLength(1);
    const given = kindOf(wrong);
    expect([
      `${path} was given ${given}; allowed is ${allowed}.`,
      `${path} was given ${given}; give ${allowed}, not text.`,
    ]).toContain(problems[0]);
  });

  it.each(paths.map((path) => ({ path })))('suggests $path.at(-1) where it is misspelt', ({ path }) => {
    const misspelt = [...path.slice(0, -1), `${path.at(-1)}s`];
    const problems = problemsOf(schema, withField(valid, misspelt, 1));
    expect(problems).toContainEqual(
      expect.stringMatching(new RegExp(`^field \\d+ of .* is unknown .*; did you mean '${path.join('\\.')}'\\?$`)),
    );
  });

  it('describes every field for forms and documentation', () => {
    const undescribed = paths.filter((path) => !described(describable(schema), path));
    expect(undescribed).toEqual([]);
  });
});

function described(node: z.core.JSONSchema.BaseSchema, path: readonly string[]): boolean {
  const [key = '', ...rest] = path;
  const options = [node, ...(node.anyOf ?? [])].flatMap((option) =>
    typeof option === 'object' && option.properties?.[key] ? [option.properties[key]] : [],
  );
  return options.some((child) =>
    typeof child !== 'object' ? false : rest.length > 0 ? described(child, rest) : child.description !== undefined,
  );
}

describe('parseInput', () => {
  const pipeline = (raw: unknown) => problemsOf(LeadPipelineInput, raw);

  it.each([[undefined], [null], [{}]])('fills in every default for %p', (raw) => {
    expect(parseInput(LeadPipelineInput, raw, 'leadPipeline')).toEqual({
      account: 'default',
      view: 'active',
      surveyStatus: ['completed'],
      scoring: {
        minReadiness: 60,
        weights: { readiness: 1, composite: 1, hasEmail: 0, hasPhone: 0 },
        require: [],
        exclude: { names: [], emailDomains: [] },
      },
      order: 'score',
      maxConversions: 10,
      maxCredits: 10_000,
      approvalDeadline: 86_400_000,
      then: 'nothing',
      dryRun: false,
      concurrency: 10,
    });
  });

  it('fills in the defaults of convertLead and asks for the lead', () => {
    expect(parseInput(ConvertLeadInput, { leadId: 'lead-1' }, 'convertLead')).toEqual({
      account: 'default',
      leadId: 'lead-1',
      personDeadline: 7 * 86_400_000,
      maxCredits: 2000,
      priority: 2,
      askPerson: true,
      findProject: false,
    });
    expect(problemsOf(ConvertLeadInput, undefined)).toEqual([
      'leadId is missing; give an identifier: letters, digits and -_.~:/=+|,;!*()$%&#, at most 128.',
    ]);
  });

  it('reads createdSince as a moment or as a time back from now', () => {
    const since = (createdSince: string) =>
      parseInput(LeadPipelineInput, { createdSince }, 'leadPipeline').createdSince;
    expect(since('7d')).toEqual({ agoMs: 7 * 86_400_000 });
    expect(since('2026-01-31T08:00:00+02:00')).toEqual({ at: Date.UTC(2026, 0, 31, 6) });
    expect(since('2026-01-31')).toEqual({ at: Date.UTC(2026, 0, 31) });
  });

  it('names the entry of a list that is wrong', () => {
    expect(
      pipeline({ surveyStatus: ['completed', 'converted'], scoring: { exclude: { names: ['ok', '**'] } } }),
    ).toEqual([
      "surveyStatus[1] was given text of 9 characters; allowed is 'pending', 'completed' or 'archived'.",
      "scoring.exclude.names[1] was given text of 2 characters; allowed is a name of 1 to 200 characters, with * for any text, such as 'Test*'.",
    ]);
    expect(pipeline({ scoring: { exclude: { emailDomains: ['@example.com', 'no domain'] } } })).toEqual([
      "scoring.exclude.emailDomains[1] was given text of 9 characters; allowed is an e-mail domain such as 'example.com'.",
    ]);
  });

  it('puts the first problems of many into words and counts the others, in a time that does not grow with their square', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`column${i}`, i]));
    const before = performance.now();
    const problems = pipeline({ ...many, maxConversions: -1 });
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(problems).toHaveLength(21);
    expect(problems[0]).toMatch(/^maxConversions was given a negative/);
    expect(problems[19]).toMatch(/^field 19 of the input is unknown/);
    expect(problems[20]).toBe('99,981 more problems are not listed here.');
    expect(pipeline({ ...many, scoring: many }).join(' ').length).toBeLessThan(20_000);
  });

  it('lists all problems at once in its message, which names the workflow', () => {
    const attempt = () => parseInput(LeadPipelineInput, { maxCredit: 1, maxConversions: -1 }, 'leadPipeline');
    expect(attempt).toThrow(InputError);
    expect(attempt).toThrow(
      'leadPipeline cannot start with this input: (1) maxConversions was given a negative whole number of 1 digit; allowed is a whole number from 0 to 400. ' +
        "(2) field 1 of the input is unknown (9 characters); did you mean 'maxCredits'?",
    );
  });

  it('finds the right name across case, underscores and places, and lists the fields where none is near', () => {
    expect(pipeline({ max_credits: 1 })).toEqual([
      "field 1 of the input is unknown (11 characters); did you mean 'maxCredits'?",
    ]);
    expect(pipeline({ minReadiness: 1 })).toEqual([
      "field 1 of the input is unknown (12 characters); did you mean 'scoring.minReadiness'?",
    ]);
    expect(pipeline({ scoring: { exclude: { colour: 1 } } })).toEqual([
      'field 1 of scoring.exclude is unknown (6 characters); the fields of scoring.exclude are names, emailDomains.',
    ]);
    expect(pipeline({ approval: { abov: 5 } })).toContain(
      "field 1 of approval is unknown (4 characters); did you mean 'approval.above'?",
    );
    expect(pipeline(JSON.parse('{"__proto__": {"maxCredits": 1}}'))).toHaveLength(1);
  });

  it('points out JSON that was given as text, and what is no object', () => {
    expect(pipeline('{"maxCredits": 5}')).toEqual([
      'the input was given as text that holds JSON; give an object, not text (without the outer quotation marks).',
    ]);
    expect(pipeline({ scoring: '{"minReadiness": 5}' })).toEqual([
      'scoring was given as text that holds JSON; give an object, not text (without the outer quotation marks).',
    ]);
    expect(pipeline('start')[0]).toMatch(
      /^the input was given text of 5 characters; give an object with the fields .*, not text\.$/,
    );
    expect(pipeline([{}])[0]).toMatch(
      /^the input was given a list of 1 entry; allowed is an object with the fields account, /,
    );
    expect(pipeline(5)[0]).toMatch(/^the input was given a whole number of 1 digit; allowed is an object/);
  });

  it.each([
    ['Jane Doe, 12 High Street', 'text of 24 characters'],
    ['', 'empty text'],
    [['jane.doe@example.com'], 'a list of 1 entry'],
    [{ 'Jane Doe': '+49 170 1234567', b: 1 }, 'an object of 2 fields'],
    [4_917_012_345_67, 'a whole number of 12 digits'],
    [-49.17, 'a negative number that is not whole'],
    [1e300, 'a number of more than 15 digits'],
    [true, 'true'],
    [null, 'null'],
  ])('S4: tells the kind of %p and its length, not what it is', (value, kind) => {
    expect(pipeline({ order: value })).toEqual([`order was given ${kind}; allowed is 'score', 'oldest' or 'newest'.`]);
  });

  it('S4: tells a field that no schema knows by its place', () => {
    expect(pipeline({ dryRun: true, 'Jane Doe': 1 })[0]).toMatch(/^field 2 of the input is unknown \(8 characters\);/);
    expect(pipeline({ scoring: { minScore: 1, 'Jane Doe': 1 } })[0]).toMatch(/^field 2 of scoring is unknown /);
  });

  it('answers a huge value and a huge name in no time', () => {
    const start = performance.now();
    pipeline({ order: 'a'.repeat(2_000_000), [`${'b'.repeat(100_000)}`]: 1 });
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('has words for each kind of schema', () => {
    const schema = z.strictObject({
      step: z.number().multipleOf(5).gt(0).lt(100).default(5),
      kind: z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('a'), n: z.int() }),
        z.strictObject({ type: z.literal('b'), when: z.iso.datetime() }),
      ]),
      map: z.record(z.string(), z.number().max(10)).default({}),
      code: z
        .string()
        .regex(/^[A-Z]{3}$/, 'three capital letters')
        .default('EUR'),
      name: z.string().max(3).default('x'),
      pair: z.array(z.boolean()).max(2).default([]),
      mixed: z.union([z.int(), z.boolean()]).default(1),
    });
    const wrong = (fields: object) => problemsOf(schema, { kind: { type: 'a', n: 1 }, ...fields });
    expect(wrong({ step: 7 })).toEqual([
      'step was given a whole number of 1 digit; allowed is a number above 0 and below 100 and in steps of 5.',
    ]);
    expect(wrong({ kind: { type: 'c' } })).toEqual(["kind.type was given text of 1 character; allowed is 'a' or 'b'."]);
    expect(wrong({ kind: { type: 'b', when: 'x' } })).toEqual([
      "kind.when was given text of 1 character; allowed is a date-time such as '2026-01-31T08:00:00Z'.",
    ]);
    expect(wrong({ map: { k: 11 } })).toEqual([
      'map[field 1] was given a whole number of 2 digits; allowed is a number of at most 10.',
    ]);
    expect(wrong({ code: 'eur' })).toEqual(['code was given text of 3 characters; allowed is three capital letters.']);
    expect(wrong({ name: 'long' })).toEqual([
      'name was given text of 4 characters; allowed is text of at most 3 characters.',
    ]);
    expect(wrong({ pair: [true, true, true] })).toEqual([
      'pair was given a list of 3 entries; allowed is a list of at most 2 entries, each true or false.',
    ]);
    expect(wrong({ mixed: 'x' })).toEqual([
      'mixed was given text of 1 character; allowed is a whole number or true or false.',
    ]);
  });
});

describe('approval', () => {
  it.each([
    [undefined, 'all'],
    [{}, 'all'],
    [{ dryRun: false }, 'all'],
    [{ maxCredits: 10_000 }, 'none'],
    [{ maxConversions: 0 }, 'none'],
    [{ maxCredits: 5, approval: 'all' }, 'all'],
    [{ approval: 'none' }, 'none'],
    [{ approval: { above: 5 } }, { above: 5 }],
  ] as const)('of the input %j is %j: who names a budget has approved it', (raw, approval) => {
    expect(resolveApproval(raw)).toEqual(approval);
  });

  it('is asked only for what costs, and above a limit only beyond it', () => {
    expect(needsApproval('all', 1)).toBe(true);
    expect(needsApproval('all', 0)).toBe(false);
    expect(needsApproval('none', 1_000_000)).toBe(false);
    expect(needsApproval({ above: 5000 }, 5000)).toBe(false);
    expect(needsApproval({ above: 5000 }, 5001)).toBe(true);
  });
});
