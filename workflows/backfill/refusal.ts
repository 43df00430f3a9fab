/** A batch that has paused itself: what it says, and what a person may answer. */
import type { Answer } from '../../src/runs/answers';
import { reasonInWords } from '../../src/runs/reason-words';
import { ownAnswer } from '../shared/asker';

export const refusedBy = (reason: string): string =>
  `The service refuses: ${reasonInWords(reason)}. It would refuse every further item. Once that is fixed, the batch can go on.`;

export const afterRefusal = (): Answer[] => [
  ownAnswer('resume', 'It is fixed', 'what was refused is tried again, and the batch spends up to its limits'),
  ownAnswer('stop', 'It is not to go on', 'the batch ends with its accounting, and spends nothing more'),
];
