/** S4: as canaries.matrix, for all statuses where there is a key. */
import { randomBytes } from 'node:crypto';
import { STATUSES } from './support/quoting';
import { traces } from './support/quoting-plays';

test.concurrent.each(STATUSES)(
  'with a key: replies of status %s that quote token and persons leave no trace of them',
  async (status) => {
    const key = randomBytes(32).toString('base64');
    expect(await traces(status, key)).toEqual({ missed: [], found: [] });
  },
  900_000,
);
