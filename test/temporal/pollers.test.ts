/** What a refused request for work says, and of whom; pollers.crash.test.ts asks a real server. */
import { polls } from '../../src/cli/doctor/temporal';
import type { Connected } from '../../src/temporal/connect';
import { GRPC } from '../../src/temporal/grpc-status';
import { pollsRefused } from '../../src/temporal/pollers';

function server(code: number, details: string): Connected {
  const refuse = () =>
    Promise.reject(Object.assign(new Error(`${code} X: ${details}`), { code, details, metadata: {} }));
  return {
    namespace: 'default',
    connection: {
      withDeadline: (_: number, ask: () => Promise<unknown>) => ask(),
      workflowService: { pollActivityTaskQueue: refuse },
    },
  } as unknown as Connected;
}

test.each([
  ['PERMISSION_DENIED', GRPC.PERMISSION_DENIED],
  ['UNAUTHENTICATED', GRPC.UNAUTHENTICATED],
])(
  'credentials that may not ask for work (%s) are named by doctor, and say nothing of the workers',
  async (_, code) => {
    const refusing = server(code, 'Request unauthorized.');
    const check = await polls(refusing);
    expect(check).toMatchObject({
      state: 'wrong',
      found: 'the server refuses a worker with the key or certificate of here (Request unauthorized.)',
      mend: expect.stringContaining('may write in this namespace'),
    });
    expect(check.mend).not.toContain('namespaceCount');
    expect(await pollsRefused(refusing)).toBeUndefined();
  },
);

test('a server that takes no more requests is named with what helps', async () => {
  const full = server(GRPC.RESOURCE_EXHAUSTED, 'namespace concurrent poller limit exceeded');
  expect(await polls(full)).toMatchObject({ state: 'wrong', mend: expect.stringContaining('namespaceCount') });
  expect(await pollsRefused(full)).toBe('namespace concurrent poller limit exceeded');
});

test('a server that has looked at the request lets workers ask', async () => {
  const taking = server(GRPC.INVALID_ARGUMENT, 'Context timeout is too short.');
  expect((await polls(taking)).state).toBe('ok');
});
