/** What `doctor` sees of one account: six requests at most, which count against its limits. */

import type { CallInput } from '../../agent-api/call-input';
import { createAgentApi } from '../../agent-api/client';
import type { Attempt, Failure } from '../../agent-api/failure';
import { createGate } from '../../agent-api/gate';
import { type Reply, type RouteName, routes } from '../../agent-api/routes';
import { type Account, apiOptions } from '../../config';
import type { Hold, HoldKind } from '../../ledger';
import { describeHold } from '../../ledger/describe-holds';
import { describeDearer, describePatience } from '../../ledger/details';
import { ledgerId } from '../../temporal/ledger-id';
import { number } from '../output';
import { area, type Check } from './check';
import { checkBudget, checkCeilings, MEND_PRICE } from './check-budget';
import { checkName } from './check-name';
import type { Ledgers } from './clearance';
import { explain } from './explain-failure';
import { LIMIT_MS, TooLate, within } from './limit';
import { checkTokenFile } from './machine';
import { checkNeeds, type Planned, type Shown } from './needs';

/** No config has this ID, so a write to it changes nothing: 404 says that the token may write. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** What becomes of it when the token in the file is another user's. */
const ANOTHER_USER =
  'If the account is to work for the new user, cancel its runs first, with a token of the user before in place, and restart the workers: they do not go on with runs of another user. The caps count only what was spent for the new one';

const MEND_HOLD: Readonly<Record<HoldKind, string>> = {
  killSwitch: 'wait until the service switches its agent API on again: runs wait as well, and go on by themselves',
  token: 'create a new token in the web app (scopes read and write) and put it in its place',
  otherUser: `put a token of the user before in its place. ${ANOTHER_USER}`,
  noCredits: 'add credits, or wait for the next billing period',
  books:
    'put the newest `books/` back into the storage; if they are lost, compare what was paid with the service, and end it with the update `release` of the ledger',
  manual: 'when its reason is over, end it with the update `release` of the ledger, in the Web UI',
};

const MEND_LOWER =
  'compare what was paid with the service; correct the sums with the update `adjust` of the ledger where payments are missing, and end it with the update `release`';

export interface Beside extends Ledgers {
  /** Who the other accounts' tokens belong to; this one is added. */
  owners: Map<string, string>;
  /** Ends the questions. */
  limit: AbortSignal;
  /** What is configured to run on the account. */
  planned: readonly Planned[];
  /** Where the books are; absent: they are not looked at. */
  storageUrl?: string | undefined;
}

/** Checks one account. */
export async function checkAccount(account: Account, beside: Beside): Promise<Check[]> {
  const { owners, clearance, statuses, keeping, limit, planned, storageUrl } = beside;
  const shown: Shown = {};
  const gate = createGate({ limits: account.limits });
  const api = createAgentApi({ ...apiOptions(account), gate });
  const { ok, wrong, unknown } = area(`account ${account.name}`);
  const checks: Check[] = [ok('token', 'present and well-formed'), ...checkTokenFile(account.name, account.token.file)];
  checks.push(checkCeilings(account));
  for (const ledger of await within(limit, () => statuses).catch(() => [])) {
    const { holds, budget, dearer, booksTrouble, patientUntil, isComparing } = ledger;
    const mendOf = ({ kind, lower }: Hold) => (lower ? MEND_LOWER : MEND_HOLD[kind]);
    checks.push(...holds.map((hold) => wrong('hold', describeHold(hold), mendOf(hold))));
    if (patientUntil !== undefined)
      checks.push(
        wrong('payments', describePatience(patientUntil, isComparing), 'wait until then; it goes on by itself'),
      );
    if (booksTrouble !== undefined)
      checks.push(wrong('books', booksTrouble, 'see "The books" in docs/administrators.md'));
    checks.push(checkBudget(account, budget));
    checks.push(...dearer.map((price) => wrong('price', describeDearer(price), MEND_PRICE)));
  }
  let stopped: string | undefined;

  /** One call. @param expected a failure that answers the question @returns whether it was made */
  async function ask<N extends RouteName>(
    name: string,
    route: N,
    read: (value: Reply<N>) => Check,
    input: CallInput = {},
    expected: (failure: Failure) => Check | undefined = () => undefined,
  ): Promise<boolean> {
    if (stopped !== undefined) {
      checks.push(unknown(name, `not asked: ${stopped}`));
      return false;
    }
    const { rateClass } = routes[route];
    let attempt: Attempt<Reply<N>>;
    try {
      const obstacle = await within(limit, () => clearance(rateClass));
      if (obstacle !== undefined) {
        checks.push(unknown(name, `not asked: ${obstacle}`));
        return false;
      }
      const permit = await gate.acquire(rateClass, { maxWaitMs: LIMIT_MS, signal: limit });
      if (!permit.ok) {
        checks.push(unknown(name, 'not asked: the limit lets nothing through for so long'));
        return false;
      }
      attempt = await within(limit, () => api.call(route, { ...input, signal: limit }));
    } catch (error) {
      if (!limit.aborted) throw error;
      checks.push(unknown(name, new TooLate().message));
      return false;
    }
    if (attempt.ok) {
      checks.push(read(attempt.value));
      return true;
    }
    const { found, mend, stop, about = name } = explain(route, account.baseUrl, attempt.failure);
    stopped = stop;
    checks.push(expected(attempt.failure) ?? wrong(about, found, mend));
    return true;
  }

  function owner(userId: string, kept: readonly string[]): Check {
    const other = owners.get(userId);
    owners.set(userId, account.name);
    const own = ledgerId(userId);
    const found = `the user with the ledger ${own}`;
    if (other === undefined && kept.length > 0 && !kept.includes(own)) {
      const theirs = `another user than the one whom the account works for (${kept.join(', ')})`;
      return wrong('token belongs to', `${found}, ${theirs}`, MEND_HOLD.otherUser);
    }
    if (other === undefined) return ok('token belongs to', found);
    const mend = 'configure each user once: two accounts would each spend the whole limit';
    return wrong('token belongs to', `${found}, as does that of account '${other}'`, mend);
  }

  function credits(balance: number): Check {
    const price = account.credits('leads.convert');
    const left = Math.max(0, balance - account.budget.balanceFloor);
    if (left >= price) return ok('credits', number(balance));
    const mend = `a conversion costs ${number(price)}: wait for the next billing period, or lower budget.balanceFloor`;
    return wrong('credits', `${number(balance)}, of which ${number(left)} may be spent`, mend);
  }

  function otherNames(failure: Failure): Check | undefined {
    if (failure.kind !== 'rejected' || (failure.status !== 400 && failure.status !== 422)) return undefined;
    return wrong(
      'leads',
      `the list refuses our parameters with ${failure.status}`,
      'set undocumented.leadsList (limit, offset, sort, direction) to their names here; until then it is read without them',
    );
  }

  /** Reading needs no scope; only a write shows whether the token may write. */
  function scope(failure: Failure): Check | undefined {
    if (failure.kind !== 'rejected') return undefined;
    const { status, code } = failure;
    if (code === 'PAT_SCOPE_INSUFFICIENT') {
      shown.mayWrite = false;
      return wrong(
        'scopes',
        'read only: a write that changes nothing was refused with 403 PAT_SCOPE_INSUFFICIENT',
        'create a token with the scopes read and write; with this one only dry runs work',
      );
    }
    if (status !== 404 && status !== 400) return undefined;
    shown.mayWrite = true;
    return ok('scopes', `read and write: a write that changes nothing was let through to its ${status}`);
  }

  try {
    const byName = account.undocumented.account.userId === null;
    if (byName)
      checks.push(ok('token belongs to', `nobody that the service names: the ledger goes by the name ${account.name}`));
    const kept = await within(limit, () => keeping).catch(() => []);
    const token: { user?: string } = {};
    const answered =
      !byName &&
      (await ask('token belongs to', 'account.user', ({ userId }) => {
        token.user = userId;
        return owner(userId, kept);
      }));
    const { user } = token;
    if (user !== undefined && storageUrl !== undefined) {
      const look = () => checkName(account.name, ledgerId(user), storageUrl);
      // What is wrong with the storage is told of the storage.
      const named = await within(limit, look).catch(() => undefined);
      if (named) checks.push(named);
    }
    if (answered && stopped === undefined) checks.push(ok('kill switch', 'off: the agent API answers'));
    await ask('tier', 'account.tier', ({ tier }) => {
      shown.tier = tier;
      return ok('tier', tier);
    });
    await ask('credits', 'account.credits', ({ balance }) => credits(balance));
    const listed = (count: number) => `readable, ${number(count)} in the list`;
    const one = { query: { limit: 1 } };
    // As a pipeline asks, so that a service that knows other names says so here first.
    const ordered = { query: { limit: 1, sort: 'created_at', direction: 'asc' } };
    await ask(
      'leads',
      'leads.list',
      ({ items, total }) => ok('leads', listed(total ?? items.length)),
      ordered,
      otherNames,
    );
    await ask(
      'projects',
      'projects.list',
      ({ items, total }) => ok('projects', listed(total ?? items.length)),
      account.undocumented.projectsList.paging === 'send' ? one : {},
    );
    const write = { id: NOBODY, body: { name: 'doctor of audit-runner' } };
    await ask('scopes', 'assessmentConfigs.update', () => ok('scopes', 'read and write'), write, scope);
    return [...checks, ...checkNeeds(account.name, planned, shown, account.undocumented)];
  } finally {
    await api.close();
  }
}
