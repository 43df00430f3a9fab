/** Counts and bounded lists of runs. The server groups by nothing but the status, so words are found one by one. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { createLimit } from '../../temporal/in-flight';
import { searchAttributeKeys } from '../../temporal/search-attribute-keys';
import { quoted } from '../../text/list-filter';

/** Different words by which runs of one type end; what is beyond them is counted as `other`. */
const MOST_WORDS = 16;
const AT_ONCE = 8;

/** Statuses of the server, in words that no run ends with itself. */
export const STATUS_WORDS = {
  Failed: 'runFailed',
  Terminated: 'terminated',
  TimedOut: 'timedOut',
  Canceled: 'cancelledRun',
} as const;
const wordOf = (status: string): string =>
  Object.entries(STATUS_WORDS).find(([name]) => name === status)?.[1] ?? status;

const moment = (ms: number): string => `'${new Date(ms).toISOString()}'`;

/** Runs that are ended for good: one that continues as new goes on. */
export const endedIn = (since: number, until: number): string =>
  `CloseTime >= ${moment(since)} AND CloseTime < ${moment(until)} AND ExecutionStatus != 'ContinuedAsNew'`;

export class Visibility {
  private readonly limit = createLimit(AT_ONCE);

  constructor(
    private readonly client: Client,
    private readonly account: string,
  ) {}

  private of(type: string, where: string): string {
    return `WorkflowType = '${type}' AND Account = ${quoted(this.account)} AND ${where}`;
  }

  async count(type: string, where: string): Promise<number> {
    return (await this.limit(() => this.client.workflow.count(this.of(type, where)))).count;
  }

  /** Runs by the word that they ended with; those that did not complete by the server's status. */
  async endings(type: string, since: number, until: number): Promise<Record<string, number>> {
    const within = endedIn(since, until);
    const { groups } = await this.limit(() =>
      this.client.workflow.count(`${this.of(type, within)} GROUP BY ExecutionStatus`),
    );
    const byStatus = groups.map(({ count, groupValues: [status] }) => [String(status), count] as const);
    const completed = byStatus.find(([status]) => status === 'Completed')?.[1] ?? 0;
    const words = completed > 0 ? await this.words(type, within, completed) : {};
    const others = byStatus.filter(([status, count]) => status !== 'Completed' && count > 0);
    return { ...words, ...Object.fromEntries(others.map(([status, count]) => [wordOf(status), count])) };
  }

  /** The last `Stage` of a run that has completed is the word that it ended with. */
  private async words(type: string, within: string, completed: number): Promise<Record<string, number>> {
    const words: Record<string, number> = {};
    let left = completed;
    while (left > 0 && Object.keys(words).length < MOST_WORDS) {
      const unseen = Object.keys(words).map((word) => ` AND Stage != ${quoted(word)}`);
      const query = `${within} AND ExecutionStatus = 'Completed' AND Stage IS NOT NULL${unseen.join('')}`;
      const [next] = await this.list(type, query, 1);
      const word = next?.typedSearchAttributes.get(searchAttributeKeys.stage);
      // Our own words are letters; what somebody else wrote there is counted as `other`.
      if (word === undefined || !/^\w+$/.test(word) || word in words) break;
      words[word] = await this.count(type, `${within} AND ExecutionStatus = 'Completed' AND Stage = ${quoted(word)}`);
      left -= words[word];
    }
    return left > 0 ? { ...words, other: left } : words;
  }

  /** The newest first. */
  async list(type: string, where: string, most: number): Promise<WorkflowExecutionInfo[]> {
    const found: WorkflowExecutionInfo[] = [];
    if (most === 0) return found;
    const pageSize = Math.min(most, 1_000);
    for await (const run of this.client.workflow.list({ query: this.of(type, where), pageSize })) {
      found.push(run);
      if (found.length === most) break;
    }
    return found;
  }
}
