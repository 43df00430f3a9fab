import {
  afterCreation,
  carries,
  DESCRIPTION_MAX,
  isShortened,
  markIn,
  withReference,
} from '../../src/audits/reference';
import { AuditProjectInput } from '../../src/inputs/audit-project';

const REFERENCE = 'r'.repeat(16);
const long = (end: string) => `${'Long words. '.repeat(170).slice(0, DESCRIPTION_MAX - end.length)}${end}`;

test.each([['short'], [long('end')], [long('\u{1F600}')], ['\u{1F600}'.repeat(DESCRIPTION_MAX / 2)]])(
  'S2: a description of any length that the API takes is created with the mark, within the limit',
  (description) => {
    const created = withReference(description, REFERENCE);
    expect(created.length).toBeLessThanOrEqual(DESCRIPTION_MAX);
    expect(markIn(created, REFERENCE)).toBe('ours');
    expect(Buffer.from(created).toString()).toBe(created);
    expect(isShortened(description, REFERENCE)).toBe(description.length > DESCRIPTION_MAX - 40);
    // Once the project is known it is as it was given, with the mark or without.
    expect(afterCreation(created, REFERENCE, { description, keep: false })).toBe(description);
    const kept = afterCreation(created, REFERENCE, { description, keep: true });
    expect(kept.startsWith(`${description}\n`) && carries(kept, REFERENCE)).toBe(true);
  },
);

test('what a person has written into the description meanwhile stays', () => {
  const description = long('end');
  const shown = `Ask for Ada. ${withReference(description, REFERENCE)}`;
  expect(afterCreation(shown, REFERENCE, { description, keep: false })).toMatch(/^Ask for Ada\. Long words\./);
  expect(afterCreation('Ask for Ada.', REFERENCE, { description, keep: true })).toMatch(/^Ask for Ada\./);
});

test('the input takes as long a description as the API does, and no longer', () => {
  const input = (length: number) => ({
    account: 'main',
    project: { clientName: 'Client', description: 'x'.repeat(length) },
  });
  expect(AuditProjectInput.safeParse(input(DESCRIPTION_MAX)).success).toBe(true);
  expect(AuditProjectInput.safeParse(input(DESCRIPTION_MAX + 1)).success).toBe(false);
});
