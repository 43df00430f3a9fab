/** A send that came to nothing, and another run that pays after it: the payment is that one's (S6). */

import { progressQuery } from '../../workflows/shared/status';
import { goesOnIn } from '../support/goes-on';
import { until } from '../support/until';
import { inScene } from './support/scene';

const LIMIT_MS = 240_000;

test(
  'S6: a run whose send came to nothing does not report what another run has paid since',
  () =>
    inScene({}, async (scene) => {
      await scene.worker();
      const { control } = scene.stage.sandbox;
      const leadId = scene.lead();
      control.addFault({ route: 'leads.convert', fault: 'cutBeforeCommit' });
      // Its first look is answered, and none after it.
      control.addFault({ route: 'leads.get', fault: 'status', status: 503, after: 1, times: 10_000 });
      const first = await scene.convert(leadId, 'first');
      const waiting = async () => (await first.query(progressQuery)).waiting ?? '';
      // The window of its send is over by then, and it looks again so late that another run can pay meanwhile.
      await until(async () => (goesOnIn(await waiting()) ?? 0) > 9_000);
      control.clearFaults();
      const second = await scene.convert(leadId, 'second');
      expect(await second.result()).toMatchObject({ outcome: 'converted', credits: 1_000 });
      expect(await first.result()).toMatchObject({ outcome: 'alreadyConverted', credits: 0 });
      expect(scene.stage.figures()).toMatchObject({ conversions: 1, spent: 1_000 });
      await scene.booksAreRight();
    }),
  LIMIT_MS,
);
