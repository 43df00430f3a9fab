/**
 * Every activity says that it is alive, so that a worker that was killed shows within the heartbeat timeout, and its
 * activities go to another one then, not after their whole time limit.
 */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

const EVERY_MS = 3_000;

export const heartbeats: ActivityInterceptorsFactory = (context) => ({
  inbound: {
    async execute(input, next) {
      const alive = setInterval(() => context.heartbeat(), EVERY_MS);
      try {
        return await next(input);
      } finally {
        clearInterval(alive);
      }
    },
  },
});
