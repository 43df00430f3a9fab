/** How many runs of an account wait for a person, and since when the first of them does. */
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { gauge } from '../metrics/meter';
import { quoted } from '../text/list-filter';
import { searchAttributeKeys } from './search-attribute-keys';

/** Runs that are looked at and remembered. */
const MOST_RUNS = 500;
/** A run that is not in memory is replayed to answer: so many are asked in one round, one after the other, the others later. */
const ASKED_IN_A_ROUND = 20;
const ASKING_MS = 10_000;
const ANSWERS_WITHIN_MS = 5_000;

const Progress = z.object({ since: z.iso.datetime() });

/** One account's. */
export class PersonWaits {
  /**
   * Milliseconds, by run and step. What a run says first is kept while it waits at that step: trouble with its calls meanwhile
   * makes it say a later moment.
   */
  #since = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly account: string,
  ) {}

  async round(): Promise<void> {
    const query = `NeedsPerson = true AND ExecutionStatus = 'Running' AND Account = ${quoted(this.account)}`;
    const { count } = await this.client.workflow.count(query);
    const since = new Map<string, number>();
    let asked = 0;
    const askedUntil = performance.now() + ASKING_MS;
    const mayAsk = () => asked++ < ASKED_IN_A_ROUND && performance.now() < askedUntil;
    let listed = 0;
    if (count > 0)
      for await (const { workflowId, runId, typedSearchAttributes } of this.client.workflow.list({ query })) {
        if (listed++ === MOST_RUNS) break;
        const key = `${runId} ${typedSearchAttributes.get(searchAttributeKeys.stage) ?? ''}`;
        const known = this.#since.get(key) ?? (mayAsk() ? await this.#ask(workflowId, runId) : undefined);
        if (known !== undefined) since.set(key, known);
      }
    this.#since = since;
    const labels = { account: this.account };
    gauge('audit_runner_runs_waiting_for_person', labels, count);
    const first = since.size > 0 ? Math.min(...since.values()) : 0;
    gauge('audit_runner_person_waiting_since_timestamp_seconds', labels, first / 1_000);
  }

  async #ask(workflowId: string, runId: string): Promise<number | undefined> {
    const handle = this.client.workflow.getHandle(workflowId, runId);
    const said = await this.client
      .withDeadline(Date.now() + ANSWERS_WITHIN_MS, () => handle.query('progress'))
      .catch(() => undefined);
    const progress = Progress.safeParse(said);
    return progress.success ? Date.parse(progress.data.since) : undefined;
  }
}
