/** What other runs have made of the same thing. */
import { sleep } from '@temporalio/workflow';
import { control } from '../shared/calls';
import type { Wanting } from './walk';

/**
 * Before a person is asked: another run may be at the same thing, and hear what became of it.
 * @returns what it became, as far as the ledger knows by then
 */
export async function elsewhere(
  { account, facts, status }: Pick<Wanting, 'account' | 'facts' | 'status'>,
  subject: string,
): Promise<string | undefined> {
  for (;;) {
    const { open, settled } = await control.subjectState({ account, subject });
    if (settled?.ref !== undefined) return settled.ref;
    const left = (open?.overAt ?? 0) - Date.now();
    if (left <= 0) return undefined;
    status.waits('Another run is working on the same thing, and its outcome is not known yet.');
    await sleep(Math.min(left + 1, facts.timing.settlingMs / 10));
  }
}
