/**
 * Bugs to be planted, to see that the simulation finds them: each is a change of the compiled text of one module or two, in the
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

interface Planted {
  changes: readonly Change[];
  /** In which stories it shows; undefined: in the usual ones. */
  kind: string | undefined;
}

/** What the ledger grants is sent, whatever the books say; they are written all the same. */
const BOOKS_LET_PASS = [
  'src/books/about-to-send.js: return { refuse: answer }; ==> {}',
  'src/books/about-to-send.js: return { refuse: over }; ==> {}',
].join('\n  ');

/** A name, and in which stories it shows, if not in the usual ones; below it, what of which module becomes what. */
const BUGS = `
a look is trusted that was asked before the last possible effect
  src/paying/open-sends.js: if (open && lookedAt <= open.overAt) ==> if (open && lookedAt <= open.overAt - 400000)
the ledger grants to everybody
  src/paying/open-sends.js: if (open && lookedAt <= open.overAt) ==> if (false)
a look does not see that a lead is converted
  workflows/convert-lead.js: return seen.surveyStatus === 'converted'; ==> return false;
an unknown outcome counts as refused
  activities/send-once.js: if (failure.kind === 'unknown') ==> if (failure.kind === 'never')
an attempt's name is used again
  activities/send-once.js: (0, node_crypto_1.randomUUID)() ==> 1
a settlement books nothing
  src/paying/open-sends.js: ...(difference !== 0 && { ==> ...(difference < 0 && {
a cap does not count what is under way
  src/ledger/caps.js: if (perDay !== null && spent + reserved + credits > perDay) ==> if (perDay !== null && spent + credits > perDay)
  ${BOOKS_LET_PASS}
the cap of the day is off by one call
  src/ledger/caps.js: if (perDay !== null && spent + reserved + credits > perDay) ==> if (perDay !== null && spent + reserved > perDay)
  ${BOOKS_LET_PASS}
the floor of the balance is not kept
  src/ledger/caps.js: return left - credits < balanceFloor ? floor : undefined; ==> return undefined;
  ${BOOKS_LET_PASS}
a ledger that takes the place of another knows nothing of it
  src/ledger/opening-state.js: function reopen({ state, lost, books, unread }, start, now) { ==> function reopen({ state, lost, books, unread }, start, now) { return openLedger(start, now, false);
  ${BOOKS_LET_PASS}
what is paid is not written into the books
  src/temporal/booked-ledger.js: return this.#costly.has( ==> return false && this.#costly.has(
  src/temporal/known-subjects.js: if (settled?.attempt !== attempt || settled.credits === 0) ==> if (true)
a ledger that was lost is followed by one without patience
  src/ledger/opening-state.js: return lost ? patient(empty, now) : empty; ==> return empty;
  ${BOOKS_LET_PASS}
open sends are forgotten at continue-as-new
  workflows/account-ledger.js: (0, handed_1.handOn)({ probeEveryMs, state }) ==> (0, handed_1.handOn)({ probeEveryMs, state: { ...state, flights: { ...state.flights, open: {} } } })
  ${BOOKS_LET_PASS}
the books forget what the last reply said that a call costs (attacks)
  src/books/standing.js: return Math.max(configured, known.real); ==> return configured;
  src/ledger/prices.js: Math.max(configured, prices[kind]?.real ?? 0) ==> configured
what was under way at midnight counts for no day (attacks)
  src/books/standing.js: if (mayBeBooked(send, now) || isIn(send.grantedAt) || isIn(send.overAt)) ==> if (false)
  src/ledger/caps.js: if (perDay !== null && spent + reserved + credits > perDay) ==> if (perDay !== null && spent + credits > perDay)
the ceiling of a run is not kept (attacks)
  src/books/ceilings.js: if (run !== undefined && perRun !== null && standing.spentBy(run, now, subject) + credits > perRun) ==> if (false)
  src/ledger/caps.js: Math.min(runCap, perRun) ==> runCap
the cap of a run's input is not kept
  src/ledger/caps.js: Math.min(runCap, perRun) ==> Number.POSITIVE_INFINITY
a conversion takes more than its input allows
  workflows/convert-lead.js: maxCredits: input.maxCredits }; ==> maxCredits: 20000 };
a pipeline converts more leads than its input allows
  workflows/pipeline/controls.js: this.state = before ?? { limits: { maxConversions, ==> this.state = before ?? { limits: { maxConversions: 100,
a pipeline waits for no approval
  workflows/lead-pipeline.js: if ((0, lead_pipeline_1.needsApproval)( ==> if (false && (0, lead_pipeline_1.needsApproval)(
an account on hold goes on to pay
  src/ledger/holds.js: const stopping = (holds, credits) => holds.filter( ==> const stopping = (holds, credits) => holds.filter(({ kind }) => kind !== 'manual').filter(
a run that is over goes on to pay
  activities/over.js: if (own.over) ==> if (false)
  activities/over.js: return over || firstRunId !== ==> return false && firstRunId !==
  activities/over.js: return latest.over; ==> return false;
what is about to be sent is not written into the books
  src/books/about-to-send.js: { write: { kind: 'sending', subject, runCap, ...open, credits, overAt, price, ...why } } ==> { refuse: undefined }
the books are not asked what is still under way (losses)
  ${BOOKS_LET_PASS}
a checksum is not looked at (losses)
  src/storage/stored-json.js: if (sealed && sumOf(written) !== sealed[1]) ==> if (false)
a balance that the books do not explain is not told (losses)
  src/ledger/explaining.js: if (credits <= 0) ==> if (true)
an item ledger is read by a list
  activities/backfill-ledger.js: yield* linesOfPart(storage, ref, unreadable); ==> const listed = []; for await (const one of storage.list(ref)) listed.push(one); if (listed.length === 0) throw new storage_1.StorageError('notFound', ref); yield* linesOfPart(storage, ref, unreadable);
children die with their parent
  workflows/pipeline/convert-one.js: parentClosePolicy: workflow_1.ParentClosePolicy.ABANDON ==> parentClosePolicy: workflow_1.ParentClosePolicy.TERMINATE
children are cancelled with their parent
  workflows/pipeline/convert-one.js: parentClosePolicy: workflow_1.ParentClosePolicy.ABANDON ==> parentClosePolicy: workflow_1.ParentClosePolicy.REQUEST_CANCEL
the ledger ends where it should continue as new
  workflows/account-ledger.js: return (0, workflow_1.continueAsNew)({ maxEvents: ==> return (() => undefined)({ maxEvents:
a pipeline tells of no lead but those that it has converted
  workflows/pipeline/convert-all.js: this.watch.ended(outcome); ==> if (outcome.outcome === 'converted') this.watch.ended(outcome);
the item ledger lacks its last part
  activities/backfill-ledger.js: part < parts; part++ ==> part < parts - 1; part++
the item ledger says of what was converted that it has failed
  src/batches/outcomes.js: return ended('done'); ==> return ended('failed');
the kill switch is never forgotten
  workflows/account-ledger.js: policy.release(state, 'killSwitch', 'token', 'otherUser') ==> policy.release(state, 'otherUser')
what no run settles is never looked up
  workflows/account-ledger.js: filter(({ dueAt }) => dueAt <= Date.now()) ==> filter(() => false)
a wait is not said
  workflows/shared/status.js: waits(why) { ==> waits(why) { return;
code that knows whether it is replayed
  workflows/shared/status.js: if (name !== this.shownStage || also.length > 0) ==> if (!(0, workflow_1.workflowInfo)().unsafe.isReplaying)
what was paid for is reported as free
  workflows/paying/pay-once.js: const { credits = wanted.price, ref } = ending; ==> const { ref } = ending; const credits = 0;
it is everybody's turn (losses)
  src/ledger/giving-turns.js: inMs: at === 'now' ? 0 : at - now, ==> inMs: 0,
a ledger believes whoever starts it
  workflows/shared/handed.js: given.of === (0, workflow_1.workflowInfo)().firstExecutionRunId ==> true
  ${BOOKS_LET_PASS}
a project that does not show its mark counts as not there
  workflows/audit/project-search.js: return cut || taken || !asked || this.candidates.length > 0 ? 'cannotTell' : 'notFound'; ==> return 'notFound';
a note that cannot be recognised counts as never sent
  workflows/capture/find-note.js: return this.#taken || (this.#left && this.#cut) || this.candidates.length > 0 ? 'cannotTell' : undefined; ==> return undefined;
a document that cannot be told counts as missing
  workflows/audit/documents.js: state === 'unsure' ? 'cannotTell' : 'notFound' ==> 'notFound'
a pause that a 429 asks for ends too soon
  src/agent-api/gate.js: const forMs = own.pauseAfterRefusal(now, askedMs); ==> const forMs = own.pauseAfterRefusal(now, askedMs) / 2;
queues let through too much
  src/temporal/queue-limits.js: max / (windowMs / 1_000 + BURST_S + JITTER_S) ==> 4 * max / (windowMs / 1_000 + BURST_S + JITTER_S)
a process counts no requests that have left
  src/agent-api/gate.js: return Math.max(paced, (0, limiter_1.logAdmits)(moments, now, this.limit), this.parkedUntil); ==> return Math.max(now, this.parkedUntil);
  src/temporal/queue-limits.js: max / (windowMs / 1_000 + BURST_S + JITTER_S) ==> 4 * max / (windowMs / 1_000 + BURST_S + JITTER_S)
an hour takes any number of notes
  src/ledger/permits.js: (0, limiter_1.admit)(kept.pace ?? limiter_1.idle, (0, limiter_1.logAdmits)(kept.log, now, window), paceOf(limit)) ==> { at: now, state: limiter_1.idle }
the day of the budget does not end
  src/ledger/today.js: if (today && now < today.until) ==> if (today)
a payment of another run is claimed
  workflows/paying/booking.js: booked > 0 || (0, own_send_1.isOwnPayment)(settled, { workflowId, run: run.key, sent, mindsBudget: budgets_1.mindsBudget }) ==> sent || booked > 0 || (settled?.run === run.key && settled.credits > 0)
`;

function planted([name = '', ...changes]: readonly string[]): [string, Planted] {
  const [, title = '', kind] = /^(.*?)(?: \((\w+)\))?$/.exec(name) ?? [];
  const parse = (line: string): Change => {
    const [file = '', change = ''] = line.trim().split(/: (.*)/);
    const [from = '', to = ''] = change.split(' ==> ');
    return { file, from, to };
  };
  return [title, { kind, changes: changes.map(parse) }];
}

export const PLANTED: Readonly<Record<string, Planted>> = Object.fromEntries(
  BUGS.trim()
    .split(/\n(?! )/)
    .map((bug) => planted(bug.split('\n'))),
);

let bug: Planted | undefined;
/** Places that were found. */
const found = new Set<Change>();

/** Whether its places were found: code that has changed needs another bug. */
export const isPlanted = (): boolean => bug?.changes.every((change) => found.has(change)) ?? true;

/** From now on modules are loaded with this bug. */
export function plant(name: string): void {
  bug = PLANTED[name];
  if (!bug) throw new Error(`there is no bug '${name}'; there are:\n${Object.keys(PLANTED).join('\n')}`);
  const { prototype } = Module as unknown as { prototype: { _compile(code: string, file: string): unknown } };
  const { _compile: compile } = prototype;
  prototype._compile = function (code, file) {
    const isIt = bug?.changes.some((change) => file.endsWith(`/dist/${change.file}`));
    return compile.call(this, isIt ? withBug(code) : code, file);
  };
}

/** The text of a module, or of the bundle that has it. */
export function withBug(code: string): string {
  return (bug?.changes ?? []).reduce((text, change) => {
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
