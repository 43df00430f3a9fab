/** A run that was terminated in its paid call and is started again under its ID: what the call did is its own (S1, S6). */

import { progressQuery } from '../../workflows/shared/status';
import { QUICK } from '../support/stage';
import { until } from '../support/until';
import { inScene } from './support/scene';

const LIMIT_MS = 240_000;
/** Long enough to start the run again meanwhile. */
const CALL_MS = 60_000;
const options = { account: { timing: { ...QUICK.timing, paidTimeoutMs: CALL_MS } } };

test.concurrent(
  'S1 S6: terminated in the call and started again, it converts once and reports it with its project',
  () =>
    inScene(options, async (scene) => {
      await scene.worker();
      const { control } = scene.stage.sandbox;
      const leadId = scene.lead();
      control.addFault({ route: 'leads.convert', fault: 'delay', delayMs: CALL_MS });
      const [first] = await scene.convertsUnderWay([leadId]);
      await first?.terminate();
      const again = await scene.convert(leadId);
      await until(async () => (await again.query(progressQuery)).waiting?.includes('unknown whether') === true);
      expect(scene.stage.figures()).toMatchObject({ converts: 1, conversions: 0 });
      control.endDelays();
      const result = await again.result();
      const projects = control.projects().map(({ id }) => id);
      expect(projects).toHaveLength(1);
      expect(result).toMatchObject({ leadId, outcome: 'converted', credits: 1_000, projectId: projects[0] });
      expect(scene.stage.figures()).toMatchObject({ converts: 1, conversions: 1, spent: 1_000 });
      await scene.booksAreRight();
    }),
  LIMIT_MS,
);
