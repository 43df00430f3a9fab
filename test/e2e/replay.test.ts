/** Runs survive deployments: what versions have left behind, path by path, replays with the workflows of this one. */
import { workflowBundlePath } from '../../src/temporal/bundle';
import * as workflows from '../../workflows';
import { failuresOf, keptRuns, type Recorded } from './support/recorded';

const typeOf = ({ history }: Recorded) =>
  history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';

test('the histories that versions have left replay, of every workflow', async () => {
  const kept = keptRuns();
  expect(new Set(kept.map(typeOf))).toEqual(new Set(Object.keys(workflows)));
  expect(await failuresOf({ codePath: workflowBundlePath({}) }, kept)).toEqual([]);
});
