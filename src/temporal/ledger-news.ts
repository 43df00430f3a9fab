/** What a process hears of its ledger without telling it anything: one answer for all that ask within a second. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type LedgerStatus, statusQuery } from '../ledger/messages';
import { type Passage, passageFrom, passageIn } from '../ledger/passage';
import { isOpen } from '../runs/is-open';

/** How old an answer may be that a request relies on; a park or hold by another process is seen after this at the latest. */
const FRESH_MS = 1_000;
/** How long it is waited for. */
const WITHIN_MS = 2_000;

export class LedgerNews {
  /** What was heard last of what lets calls leave. */
  lastPassage: Passage | undefined;
  /** What is asked for one call does not end with that: its cancellation counts in its context alone. */
  private readonly apart = AsyncLocalStorage.snapshot();
  private readonly passages = shared(() => this.apart(() => this.askPassage()));
  private readonly statuses = shared(() => this.apart(() => this.askStatus()));

  /** @param openAgain there is no open ledger: whoever only asks would wait for one for ever */
  constructor(
    private readonly client: Client,
    private readonly workflowId: string,
    private readonly openAgain: () => void,
  ) {}

  /** What lets calls leave or not; undefined where there is no open ledger, or nothing is heard soon. */
  passage(): Promise<Passage | undefined> {
    return this.passages.ask();
  }

  /** The whole status; undefined likewise. It takes a worker that has the ledger's run. */
  status(): Promise<LedgerStatus | undefined> {
    return this.statuses.ask();
  }

  /** What was heard is out of date. */
  forget(): void {
    this.passages.forget();
    this.statuses.forget();
  }

  private async askPassage(): Promise<Passage | undefined> {
    const described = await this.describe();
    if (!described) return undefined;
    const told = passageIn(described);
    // One that tells none is asked as it always was.
    const status = told ? undefined : await this.status();
    const heard = told ?? (status && passageFrom(status));
    if (heard) this.lastPassage = heard;
    return heard;
  }

  private async askStatus(): Promise<LedgerStatus | undefined> {
    const status = await this.soon((ledger) => ledger.query(statusQuery));
    // A closed ledger still answers, and nobody would ever lift its holds: one that is on hold must be alive.
    if (!status || status.holds.length === 0) return status;
    return (await this.describe()) && status;
  }

  /** @returns undefined also where it is closed */
  private async describe() {
    const described = await this.soon((ledger) => ledger.describe());
    if (!described || isOpen(described.status)) return described;
    this.openAgain();
    return undefined;
  }

  private async soon<T>(
    ask: (ledger: ReturnType<Client['workflow']['getHandle']>) => Promise<T>,
  ): Promise<T | undefined> {
    const ledger = this.client.workflow.getHandle(this.workflowId);
    try {
      return await this.client.withDeadline(Date.now() + WITHIN_MS, () => ask(ledger));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) this.openAgain();
      return undefined;
    }
  }
}

/** Asks once for all that want to know at about the same time. */
function shared<T>(ask: () => Promise<T>): { ask(): Promise<T>; forget(): void } {
  let last: { at: number; answer: Promise<T> } | undefined;
  return {
    ask() {
      const now = performance.now();
      if (!last || now - last.at > FRESH_MS) last = { at: now, answer: ask() };
      return last.answer;
    },
    forget() {
      last = undefined;
    },
  };
}
