/**
 * Bugs to be planted, to see that the simulation finds them: each is a change of the compiled text of one module, in the
 * worker's code and in the workflow bundle alike.
 */
import Module from 'node:module';

/** What is changed. */
interface Change {
  /** Compiled module, in `dist`. */
  file: string;
  from: string;
  to: string;
}

interface Planted extends Change {
  /** With what else: the books in the storage would prevent what the ledger lets through. */
  with?: Change;
}

/** What the ledger grants is sent, whatever the books say; they are written all the same. */
const BOOKS_LET_PASS: Change = {
  file: 'src/temporal/booked-ledger.js',
  from: 'if (!refused)',
  to: 'if (refused?.kind !== "unwritten")',
};

export const PLANTED: Readonly<Record<string, Planted>> = {
  'a look is trusted that was asked before the last possible effect': {
    file: 'src/paying/open-sends.js',
    from: 'if (open && lookedAt <= open.overAt)',
    to: 'if (open && lookedAt <= open.overAt - 400000)',
  },
  'the ledger grants to everybody': {
    file: 'src/paying/open-sends.js',
    from: 'if (open && lookedAt <= open.overAt)',
    to: 'if (false)',
  },
  'a look does not see that a lead is converted': {
    file: 'workflows/convert-lead.js',
    from: "return seen.surveyStatus === 'converted';",
    to: 'return false;',
  },
  'an unknown outcome counts as refused': {
    file: 'activities/send-once.js',
    from: "if (failure.kind === 'unknown')",
    to: "if (failure.kind === 'never')",
  },
  "an attempt's name is used again": {
    file: 'activities/send-once.js',
    from: '(0, node_crypto_1.randomUUID)()',
    to: '1',
  },
  'a settlement books nothing': {
    file: 'src/paying/open-sends.js',
    from: '...(difference !== 0 && {',
    to: '...(difference < 0 && {',
  },
  'a cap does not count what is under way': {
    file: 'src/ledger/caps.js',
    from: 'if (perDay !== null && spent + reserved + credits > perDay)',
    to: 'if (perDay !== null && spent + credits > perDay)',
    with: BOOKS_LET_PASS,
  },
  'the cap of the day is off by one call': {
    file: 'src/ledger/caps.js',
    from: 'if (perDay !== null && spent + reserved + credits > perDay)',
    to: 'if (perDay !== null && spent + reserved > perDay)',
    with: BOOKS_LET_PASS,
  },
  'the floor of the balance is not kept': {
    file: 'src/ledger/caps.js',
    from: 'return left - credits < balanceFloor ? floor : undefined;',
    to: 'return undefined;',
    with: BOOKS_LET_PASS,
  },
  'a ledger that takes the place of another knows nothing of it': {
    file: 'src/ledger/opening-state.js',
    from: 'function reopen({ state, lost, books, unread }, start, now) {',
    to: 'function reopen({ state, lost, books, unread }, start, now) {\n    return openLedger(start, now, false);',
    with: BOOKS_LET_PASS,
  },
  'what is paid is not written into the books': {
    file: 'src/temporal/booked-ledger.js',
    from: 'return this.#costly.has(',
    to: 'return false && this.#costly.has(',
  },
  'a ledger that was lost is followed by one without patience': {
    file: 'src/ledger/opening-state.js',
    from: 'return lost ? patient(empty, now) : empty;',
    to: 'return empty;',
    with: BOOKS_LET_PASS,
  },
  'open sends are forgotten at continue-as-new': {
    file: 'workflows/account-ledger.js',
    from: '(0, handed_1.handOn)({ probeEveryMs, state })',
    to: '(0, handed_1.handOn)({ probeEveryMs, state: { ...state, flights: { ...state.flights, open: {} } } })',
    with: BOOKS_LET_PASS,
  },
  'children die with their parent': {
    file: 'workflows/pipeline/convert-one.js',
    from: 'parentClosePolicy: workflow_1.ParentClosePolicy.ABANDON',
    to: 'parentClosePolicy: workflow_1.ParentClosePolicy.TERMINATE',
  },
  'the kill switch is never forgotten': {
    file: 'workflows/account-ledger.js',
    from: "policy.release(state, 'killSwitch', 'token', 'otherUser')",
    to: "policy.release(state, 'otherUser')",
  },
  'what no run settles is never looked up': {
    file: 'workflows/account-ledger.js',
    from: 'filter(({ dueAt }) => dueAt <= Date.now())',
    to: 'filter(() => false)',
  },
  'a wait is not said': {
    file: 'workflows/shared/status.js',
    from: 'waits(why) {\n',
    to: 'waits(why) {\n        return;\n',
  },
  'code that knows whether it is replayed': {
    file: 'workflows/shared/status.js',
    from: 'if (name !== this.shownStage || also.length > 0)',
    to: 'if (!(0, workflow_1.workflowInfo)().unsafe.isReplaying)',
  },
  'what was paid for is reported as free': {
    file: 'workflows/paying/pay-once.js',
    from: 'const { credits = wanted.price, ref } = ending;',
    to: 'const { ref } = ending; const credits = 0;',
  },
  'a ledger believes whoever starts it': {
    file: 'workflows/shared/handed.js',
    from: 'given.of === (0, workflow_1.workflowInfo)().firstExecutionRunId',
    to: 'true',
    with: BOOKS_LET_PASS,
  },
  'a project that does not show its mark counts as not there': {
    file: 'workflows/audit/project-search.js',
    from: "return cut || taken || !asked || this.candidates.length > 0 ? 'cannotTell' : 'notFound';",
    to: "return 'notFound';",
  },
  'a note that cannot be recognised counts as never sent': {
    file: 'workflows/capture/find-note.js',
    from: "return this.#taken || (this.#left && this.#cut) || this.candidates.length > 0 ? 'cannotTell' : undefined;",
    to: 'return undefined;',
  },
  'a document that cannot be told counts as missing': {
    file: 'workflows/audit/documents.js',
    from: "state === 'unsure' ? 'cannotTell' : 'notFound'",
    to: "'notFound'",
  },
  'a payment of another run is claimed': {
    file: 'workflows/paying/booking.js',
    from: 'booked > 0 || (0, own_send_1.isOwnPayment)(settled, { workflowId, run: run.key, sent })',
    to: 'sent || booked > 0 || (settled?.run === run.key && settled.credits > 0)',
  },
};

/** Where a bug is planted. */
export const changesOf = (planted: Planted): Change[] => [planted, ...(planted.with ? [planted.with] : [])];

let planted: Planted | undefined;
/** Places that were found. */
const found = new Set<Change>();

/** Whether its places were found: code that has changed needs another bug. */
export const isPlanted = (): boolean =>
  planted === undefined || changesOf(planted).every((change) => found.has(change));

/** From now on modules are loaded with this bug. */
export function plant(name: string): void {
  planted = PLANTED[name];
  if (!planted) throw new Error(`there is no bug '${name}'; there are:\n${Object.keys(PLANTED).join('\n')}`);
  const { prototype } = Module as unknown as { prototype: { _compile(code: string, file: string): unknown } };
  const { _compile: compile } = prototype;
  prototype._compile = function (code, file) {
    const isIt = planted && changesOf(planted).some((change) => file.endsWith(`/dist/${change.file}`));
    return compile.call(this, isIt ? withBug(code) : code, file);
  };
}

/** The text of a module, or of the bundle that has it. */
export function withBug(code: string): string {
  if (!planted) return code;
  return changesOf(planted).reduce((text, change) => {
    if (!text.includes(change.from)) return text;
    found.add(change);
    return text.replaceAll(change.from, () => change.to);
  }, code);
}

/** Instead of a name: each of them, one after the other. */
export const EVERY = 'all';

// Before anything else is loaded: whoever imports this, imports it first.
const option = process.argv.indexOf('--planted');
if (option > 0 && process.argv[option + 1] !== EVERY) plant(process.argv[option + 1] ?? '');
