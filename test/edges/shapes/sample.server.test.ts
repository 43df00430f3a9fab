/** A sample of the matrix; the whole of it is `npm run edges -- shapes`. */

import { sample } from './cases';
import { isExpected } from './expected';
import { tryCases } from './index';

test('each shape works, works after a setting, refuses before anything is paid, or is booked once', async () => {
  const outcomes = await tryCases(sample);
  expect(outcomes.filter(({ wrong, one }) => wrong !== undefined && !isExpected(one.name))).toEqual([]);
  expect(outcomes).toHaveLength(sample.length);
}, 600_000);
