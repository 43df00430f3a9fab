/** Guards without which the cases named here come out wrong. */
import type { Guards } from '../guards';

export const guards: Guards = {
  'attempt-name': {
    about: 'S1: an attempt is named for its execution alone (convertLead.worker-lost/activity-reset)',
    file: 'activities/send-once.js',
    find: '(0, node_crypto_1.randomUUID)()',
    replace: 'info.attempt',
  },
  'single-flight': {
    about:
      'S1: while one attempt for a subject may have an effect, no other is granted (convertLead.in-flight/terminate)',
    file: 'src/paying/open-sends.js',
    find: 'if (open && request.lookedAt <= open.overAt)',
    replace: 'if (false)',
  },
  'handed-on': {
    about: 'what a run is given by hand is no state of its own (byHand.claims)',
    file: 'workflows/shared/handed.js',
    find: 'given.of === ',
    replace: 'true || given.of === ',
  },
};
