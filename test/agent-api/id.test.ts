import { Id, RecordId } from '../../src/agent-api/id';

const TOKEN = `aky_${'a1B2'.repeat(8)}`;

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.dQw4w9WgXcQ';

const GOOD = ['0190f3a0-0000-7000-8000-000000000000', 'lead/2026/17', 'aky_', 'aky_1', '42', 'a%2F40', '100%', 'a..b'];
test.each([...GOOD, 'eyJ', 'eyJ.a.b', 'keyJob.2026.17'])('%s is an identifier', (id) => {
  expect([Id.safeParse(id).success, RecordId.safeParse(id).success]).toEqual([true, true]);
});

// It would become the ID of a run, the name of a document and a line of a log.
test.each([
  ...[TOKEN, `lead-${TOKEN}`, JWT, `lead-${JWT}`, JWT.slice(0, JWT.lastIndexOf('.') + 1)],
  ...['anna@example.com', 'anna%40example.com', 'anna%2540example.com', 'anna%252540example.com', 'Anna Miller'],
  ...['../x', 'a\nb', '', 'x'.repeat(129)],
])('S4: %j is none', (id) =>
  expect([Id.safeParse(id).success, RecordId.safeParse(id).success]).toEqual([false, false]),
);
