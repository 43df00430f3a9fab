/** S7: what a run's ledger is asked of a worker that does not know it, and what that worker does and says. */
import { type Deps, ledgerOf, noLedgerHere } from '../../activities/deps';

const asked = jest.fn(() => Promise.reject(new Error('the service is away')));
const runtime = (ledger?: string) => ({
  ledgerWith: (id: string) => (id === ledger ? { workflowId: id } : undefined),
  knownLedger: () => (ledger === undefined ? undefined : { workflowId: ledger }),
  ledger: asked,
});
const deps = (accounts: Record<string, string | undefined>) =>
  ({ accounts: new Map(Object.entries(accounts).map(([name, ledger]) => [name, runtime(ledger)])) }) as unknown as Deps;

beforeEach(() => asked.mockClear());

test('whose ledger it is may not be known yet: the service is asked again, and the sentence names the account', () => {
  const some = deps({ default: undefined, other: 'account-ledger.u2' });
  expect(ledgerOf(some, 'account-ledger.u1')).toBeUndefined();
  expect(asked).toHaveBeenCalledTimes(2);
  expect(noLedgerHere(some)).toBe(
    "This worker does not know yet to which user the token belongs of: 'default'; it asks the service again",
  );
});

test('it may be known to be of none, or of one, who is not asked then', () => {
  const some = deps({ other: 'account-ledger.u2' });
  expect(noLedgerHere(some)).toBe('No account of this worker is known to belong to the user of this ledger');
  expect(ledgerOf(some, 'account-ledger.u2')).toMatchObject({ workflowId: 'account-ledger.u2' });
  expect(asked).not.toHaveBeenCalled();
});
