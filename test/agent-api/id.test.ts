import { Id, RecordId } from '../../src/agent-api/id';

const TOKEN = `aky_${'a1B2'.repeat(8)}`;

test.each(['0190f3a0-0000-7000-8000-000000000000', 'lead/2026/17', 'aky_', 'aky_1', '42'])(
  '%s is an identifier',
  (id) => {
    expect([Id.safeParse(id).success, RecordId.safeParse(id).success]).toEqual([true, true]);
  },
);

// It would become the ID of a run, the name of a document and a line of a log.
test.each([TOKEN, `lead-${TOKEN}`, 'anna@example.com', 'Anna Miller', '../x', 'a\nb', '', 'x'.repeat(129)])(
  'S4: %j is none',
  (id) => expect([Id.safeParse(id).success, RecordId.safeParse(id).success]).toEqual([false, false]),
);
