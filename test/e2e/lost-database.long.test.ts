/** S8: the other moments of `lost-database.crash.test.ts`. */
import { LOSS_LIMIT_MS, type Loss, playLoss } from './support/losses';

test.concurrent.each<Loss>([
  ...[1, 4, 14, 20].map((nth): Loss => ({ what: 'is lost', nth })),
  ...[1, 9, 14, 20].map((nth): Loss => ({ what: 'goes back to a backup', nth })),
])(
  'the database $what while the payment $nth of twenty is under way: each is paid once, and the books are right',
  playLoss,
  LOSS_LIMIT_MS,
);
