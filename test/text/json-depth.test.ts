/** JSON that is nested without end is refused where it comes in, in words, and nothing runs out of stack. */

import { readJsonl } from '../../src/batches/item-rows';
import { readCall } from '../../src/inputs/any-call';
import { AuditProjectInput } from '../../src/inputs/audit-project';
import { InputError, parseInput } from '../../src/inputs/parse-input';
import { isTooDeep, MOST_LEVELS } from '../../src/text/json-depth';
import { apiOf, closeAll, serve } from '../agent-api/server';

afterEach(closeAll);

const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const DEEP = 100_000;

test('so many levels are enough, and one more is too deep', () => {
  for (const nested of [lists, objects]) {
    expect(isTooDeep(JSON.parse(nested(MOST_LEVELS)))).toBe(false);
    expect(isTooDeep(JSON.parse(nested(MOST_LEVELS + 1)))).toBe(true);
    expect(isTooDeep(JSON.parse(nested(DEEP)))).toBe(true);
  }
});

test.each([lists(DEEP), objects(DEEP), `{"projectId":${objects(DEEP)}}`, `{"documents":[${lists(DEEP)}]}`])(
  'an input is refused in a sentence (%#)',
  (json) => {
    const raw: unknown = JSON.parse(json);
    expect(() => parseInput(AuditProjectInput, raw, 'auditProject')).toThrow(InputError);
    expect(() => parseInput(AuditProjectInput, raw, 'auditProject')).toThrow('nested deeper than');
  },
);

test("the body of somebody's own call is refused as well", () => {
  const raw: unknown = JSON.parse(`{"route":"contacts.create","body":${objects(DEEP)}}`);
  expect(() => readCall(raw)).toThrow('nested deeper than');
});

test('a row of a file is refused, and those behind it are read', async () => {
  async function* bytes() {
    yield Buffer.from(`{"leadId":${lists(DEEP)}}\n{"leadId":"l1"}\n`);
  }
  const rows = [];
  for await (const row of readJsonl(bytes())) rows.push(row);
  expect(rows).toEqual([
    { line: 1, problem: expect.stringContaining('nested deeper than') },
    { line: 2, values: { leadId: 'l1' } },
  ]);
});

test.each(['leads.convert', 'projects.get', 'contacts.get'] as const)(
  'S3: a reply is unreadable, so that what was paid for is booked: %s',
  async (route) => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"success":true,"data":${objects(DEEP)}}`);
    });
    expect(await apiOf(server.baseUrl).call(route, { id: 'x1' })).toMatchObject({
      failure: { kind: 'unreadable', problem: expect.stringContaining('nested deeper than') },
    });
  },
);
