/** What an audit gave: fetched part by part, stored, and made into a report. */

import type { StoredPart, StoredReport } from '../../activities/deliverables';
import { asName } from '../../src/agent-api/id';
import { CATEGORIES } from '../../src/audits/categories';
import { reasonInWords } from '../../src/runs/reason-words';
import { inAccount } from '../../src/storage/account-folder';
import { control, notShownUntil, reads, retryUntilAnswered, untilNextLook } from '../shared/calls';
import { refusalOf } from '../shared/failures';
import { beside } from '../shared/status';
import type { AuditRun } from './audit-run';

export interface StoredResults {
  /** References into the storage: what the API gave, as it came. */
  files: string[];
  report: StoredReport;
  opportunities: number;
}

export async function storeResults(at: AuditRun, projectId: string, analysisId: string): Promise<StoredResults> {
  const { account, facts, status, place } = at;
  status.step('storing', `Storing the results of project ${projectId}`);
  const folder = inAccount(account, `audits/${asName(projectId)}/${asName(analysisId)}`);
  const call = { account, projectId, folder };
  // The analysis has just been seen complete: what belongs to it may show later.
  const freshUntil = notShownUntil(facts);
  /** What cannot be had is said in the result and in the report; the rest is not lost over it. */
  const part = async (
    what: string,
    fetch: (activities: ReturnType<typeof reads>) => Promise<StoredPart>,
    lackOf: (stored: StoredPart) => string | undefined = () => undefined,
  ) => {
    try {
      return await beside(() => whole(at, freshUntil, () => fetch(reads(account, place, `Store the ${what}`)), lackOf));
    } catch (error) {
      const reason = refusalOf(error);
      if (reason === undefined) throw error;
      at.notes.push(`The service gave no ${what}: ${reasonInWords(reason)}.`);
      return undefined;
    }
  };
  const analysis = await part('analysis', (fetch) => fetch.storeAnalysis(call));
  const expected = analysis?.opportunities ?? 0;
  const [all, ...others] = await Promise.all([
    part(
      'opportunities',
      (fetch) => fetch.storeOpportunities(call),
      ({ count }) => (count === 0 && expected > 0 ? `The service shows none of ${expected} opportunities` : undefined),
    ),
    part('project', (fetch) => fetch.storeProject(call)),
    part(
      'deliverables',
      (fetch) => fetch.storeDeliverables(call),
      ({ incomplete }) => (incomplete ? 'The service says that its deliverables are not complete' : undefined),
    ),
  ]);
  const sorted = await Promise.all(
    CATEGORIES.map((category) =>
      part(`opportunities in ${category}`, (fetch) => fetch.storeOpportunities({ ...call, category })),
    ),
  );
  const files = [all, ...others, analysis, ...sorted].flatMap((stored) => stored?.ref ?? []);
  const report = await control.writeReport({ folder });
  return { files, report, opportunities: all?.count ?? 0 };
}

/**
 * Fetches a part until it lacks nothing, or until it would have shown; then it is taken as it is, with a note.
 * @param lackOf what it lacks, in words
 */
async function whole(
  { status, facts, account, notes }: AuditRun,
  freshUntil: number,
  fetch: () => Promise<StoredPart>,
  lackOf: (stored: StoredPart) => string | undefined,
): Promise<StoredPart> {
  for (let looks = 0; ; looks++) {
    const stored = await retryUntilAnswered(status, facts, account, fetch, freshUntil);
    const lack = lackOf(stored);
    if (lack === undefined) return stored;
    if (!(await untilNextLook(status, facts, `${lack}; it is asked`, looks, freshUntil))) {
      notes.push(`${lack}; what it shows is stored.`);
      return stored;
    }
  }
}
