/** A ledger's own handlers and validators without a server: what they are told is heard at once. */

import type { LedgerState } from '../../src/ledger';
import { type Passage, passageIn } from '../../src/ledger/passage';
import type { Book } from '../../workflows/ledger/book';

/** The Temporal server's clock. */
export const time = { now: 0 };
jest.spyOn(Date, 'now').mockImplementation(() => time.now);

interface Handler {
  handle(said: unknown): unknown;
  validate(said: unknown): void;
}
const handlers = new Map<string, Handler>();
const mockRunId = 'run';
const mockMemo: Record<string, unknown> = {};

jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual('@temporalio/workflow'),
  patched: () => true,
  condition: async () => undefined,
  currentUpdateInfo: () => undefined,
  setCurrentDetails: () => undefined,
  upsertSearchAttributes: () => undefined,
  upsertMemo: (memo: Record<string, unknown>) => void Object.assign(mockMemo, structuredClone(memo)),
  workflowInfo: () => ({ runId: mockRunId, runStartTime: new Date(0) }),
  setHandler: (
    { name }: { name: string },
    handle: Handler['handle'],
    { validator: validate = () => undefined }: { validator?: Handler['validate'] },
  ) => void handlers.set(name, { handle, validate }),
}));
jest.mock('@temporalio/workflow/lib/global-attributes', () => ({
  getActivator: () => ({ randomnessSeed: handlers }),
  maybeGetActivator: () => ({ randomnessSeed: handlers }),
}));

export class Handled {
  readonly #book: Book;

  constructor() {
    const { Book } = jest.requireActual<typeof import('../../workflows/ledger/book')>('../../workflows/ledger/book');
    const { handleQuestions, handleWorkers } = jest.requireActual<typeof import('../../workflows/ledger/handlers')>(
      '../../workflows/ledger/handlers',
    );
    const { handlePeople } = jest.requireActual<typeof import('../../workflows/ledger/people')>(
      '../../workflows/ledger/people',
    );
    this.#book = new Book();
    for (const handle of [handlePeople, handleWorkers, handleQuestions]) handle(this.#book);
  }

  get state(): LedgerState {
    return this.#book.state;
  }

  /** What calls are told, as they read it. */
  get passage(): Passage | undefined {
    return passageIn({ memo: mockMemo, runId: mockRunId });
  }

  open(state: LedgerState): void {
    this.#book.open(state);
  }

  change(state: LedgerState): void {
    this.#book.change(state);
  }

  /** @returns undefined where it is refused. @throws what would stop the workflow */
  update<R>(name: string, said: unknown): R | undefined {
    // As it comes out of the converter.
    const heard: unknown = said === undefined ? undefined : JSON.parse(JSON.stringify(said));
    const handler = handlers.get(name);
    if (!handler) return undefined;
    try {
      handler.validate(heard);
    } catch {
      return undefined;
    }
    return handler.handle(heard) as R;
  }

  query<R>(name: string): R {
    return handlers.get(name)?.handle(undefined) as R;
  }
}
