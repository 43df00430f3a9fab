/** The environment of a tier that is not run: its tests are listed and count as skipped, so that their number is seen. */
import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';

function skip(block: Circus.DescribeBlock): void {
  for (const child of block.children) {
    child.mode = 'skip';
    if (child.type === 'describeBlock') skip(child);
  }
}

export default class Skips extends TestEnvironment {
  handleTestEvent(event: Circus.Event, { rootDescribeBlock }: Circus.State): void {
    if (event.name === 'run_start') skip(rootDescribeBlock);
  }
}
