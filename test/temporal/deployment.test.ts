/** What is said of builds, for what a server may say; versioning.server.test.ts asks a real one. */
import type { Client } from '@temporalio/client';
import { type BuildState, describeDeployment, idleBuild } from '../../src/temporal/deployment';

const client = { options: { namespace: 'default' } } as unknown as Client;
const deploymentName = 'audit-runner';
const withBuilds = (...builds: [buildId: string, state: BuildState][]) => ({
  deploymentName,
  builds: builds.map(([buildId, state]) => ({ buildId, state })),
});

test('a ramp moves ledgers and batches too, and may lead to workers that are not versioned', () => {
  const routed = { ...withBuilds(['2', 'current'], ['1', 'draining']), current: '2' };
  expect(describeDeployment({ ...routed, ramping: { buildId: '3', percent: 10 } })).toBe(
    'Deployment audit-runner: new runs go to build 2, 10 % of them, and of the open ledgers and batches, to build 3; 1 still has runs of its own: keep its workers',
  );
  expect(describeDeployment({ ...routed, ramping: { percent: 5 } })).toContain(
    'go to build 2, 5 % of them, and of the open ledgers and batches, to workers that are not versioned; ',
  );
});

test('a build that was replaced is not offered as the current one: what took a patch of the next could not go on with it', () => {
  const idle = (buildId: string, state: BuildState) =>
    idleBuild(client, { deploymentName, buildId }, { ...withBuilds(['2', 'current'], [buildId, state]), current: '2' });
  expect(idle('3', 'inactive')).toBe(
    'The workers of build 3 get no new runs: build 2 is the current one. `temporal worker deployment set-current-version --deployment-name audit-runner --build-id 3 --yes` makes it the current one.',
  );
  for (const state of ['draining', 'drained'] as const)
    expect(idle('1', state)).toBe(
      'The workers of build 1 get no new runs: build 2 is the current one. They end what it began.',
    );
});
