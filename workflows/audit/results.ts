/** What an audit gave: fetched part by part, stored, and made into a report. */

import type { StoredPart, StoredReport } from '../../activities/deliverables';
import { idKey } from '../../src/agent-api/id';
import { CATEGORIES } from '../../src/policy/categories';
import { control, reads, refusalOf } from '../shared/calls';
import { type At, ofProject } from './step';

export interface StoredResults {
  /** References into the storage: what the API gave, as it came. */
  files: string[];
  report: StoredReport;
  opportunities: number;
}

/** IDs of the service become names of folders. */
const asName = (id: string) => id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100);

export async function storeResults(at: At, projectId: string, analysisId: string): Promise<StoredResults> {
  const { account, status, place } = at;
  status.step('storing', `Storing the results of project ${projectId}`);
  const folder = `audits/${asName(idKey(projectId))}/${asName(idKey(analysisId))}`;
  const call = { account, projectId, folder };
  /** What cannot be had is said in the result and in the report; the rest is not lost over it. */
  const part = async (what: string, fetch: (activities: ReturnType<typeof reads>) => Promise<StoredPart>) => {
    try {
      return await ofProject(at, () => fetch(reads(account, place, `Store the ${what}`)));
    } catch (error) {
      const reason = refusalOf(error);
      if (reason === undefined) throw error;
      at.notes.push(`The service gave no ${what} (${reason}).`);
      return undefined;
    }
  };
  const [all, ...others] = await Promise.all([
    part('opportunities', (fetch) => fetch.storeOpportunities(call)),
    ...CATEGORIES.map((category) =>
      part(`opportunities in ${category}`, (fetch) => fetch.storeOpportunities({ ...call, category })),
    ),
    part('project', (fetch) => fetch.storeProject(call)),
    part('analysis', (fetch) => fetch.storeAnalysis(call)),
    part('deliverables', (fetch) => fetch.storeDeliverables(call)),
  ]);
  const files = [all, ...others].flatMap((stored) => stored?.ref ?? []);
  const report = await control.writeReport({ folder });
  return { files, report, opportunities: all?.count ?? 0 };
}
