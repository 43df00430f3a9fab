import { ServiceError } from '@temporalio/client';
import { resendsUpdates } from '../../src/temporal/client';
import { GRPC } from '../../src/temporal/grpc-status';

type Next = Parameters<NonNullable<typeof resendsUpdates.startUpdate>>[1];
type Input = Parameters<Next>[0];

const input: Input = {
  updateName: 'approve',
  args: [],
  workflowExecution: { workflowId: 'run' },
  headers: {},
  options: {},
};
const failing = (code: number) =>
  new ServiceError('Workflow Update failed', {
    cause: Object.assign(new Error('of the server'), { code, details: 'of the server', metadata: {} }),
  });

/** Sends an update of which the first tries fail so. @returns the update IDs that were sent */
async function send(codes: number[], options: Input['options'] = {}): Promise<(string | undefined)[]> {
  const sent: (string | undefined)[] = [];
  const next = async ({ options: { updateId } }: Input) => {
    sent.push(updateId);
    const code = codes.shift();
    if (code !== undefined) throw failing(code);
    return { updateId: updateId ?? '', workflowRunId: 'run' };
  };
  await resendsUpdates.startUpdate?.({ ...input, options }, next as Next);
  return sent;
}

test('an update whose workflow task failed is sent again under the same ID', async () => {
  const sent = await send([GRPC.FAILED_PRECONDITION, GRPC.FAILED_PRECONDITION]);
  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(1);
  expect(sent[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(await send([GRPC.FAILED_PRECONDITION], { updateId: 'mine' })).toEqual(['mine', 'mine']);
});

test('any other failure is not repeated, and a task that keeps failing is told', async () => {
  await expect(send([GRPC.NOT_FOUND])).rejects.toMatchObject({ cause: { code: GRPC.NOT_FOUND } });
  await expect(send(Array(20).fill(GRPC.FAILED_PRECONDITION))).rejects.toThrow('Workflow Update failed');
});
