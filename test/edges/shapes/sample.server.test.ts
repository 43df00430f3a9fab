/** A sample of the matrix; the whole of it is `npm run edges -- shapes`. */
import { cases, SAMPLE } from './cases';
import { isExpected } from './expected';
import { tryCases } from './index';

test('each shape works, works after a setting, refuses before anything is paid, or is booked once', async () => {
  const outcomes = await tryCases(cases.filter(({ name }) => SAMPLE.includes(name)));
  expect(outcomes.filter(({ wrong, one }) => wrong !== undefined && !isExpected(one.name))).toEqual([]);
  expect(outcomes.map(({ one }) => one.name).sort()).toEqual([...SAMPLE].sort());
}, 600_000);
