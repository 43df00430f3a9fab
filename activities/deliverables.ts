/** What an audit gave: fetched, stored as it came, and made into a report. Repeatable: twice leaves one file each. */
import { z } from 'zod';
import { AuditAnalysis, Deliverables, Opportunity, Project } from '../src/agent-api/records';
import { CATEGORIES, type Category } from '../src/audits/categories';
import { type AuditReport, REPORT_FILES, renderReport } from '../src/report';
import { inRoot } from '../src/storage/account-folder';
import { readIfThere } from '../src/storage/stored-json';
import { callRoute } from './call';
import { type Deps, runtimeOf } from './deps';

export interface Fetch {
  account: string;
  projectId: string;
  /** Folder in the storage. */
  folder: string;
}

/** A stored document: its reference. */
export interface StoredPart {
  ref: string;
  /** Records in it, where it is a list. */
  count?: number;
  /** Opportunities that there are, by the analysis. */
  opportunities?: number;
  /** The service itself says that it is not whole. */
  incomplete?: boolean;
}

/** A stored report, and where a person finds it. */
export interface StoredReport {
  html: string;
  markdown: string;
  url: string;
}

const Listed = z.array(Opportunity);
const partRef = (folder: string, part: string) => `${folder}/${part}.json`;

export function createDeliverablesActivities(deps: Deps) {
  const { storage } = deps;
  const put = async (folder: string, part: string, value: unknown, count?: number): Promise<StoredPart> => {
    const text = `${JSON.stringify(value, null, 2)}\n`;
    const { ref } = await storage.write(partRef(folder, part), text, { contentType: 'application/json' });
    return { ref, ...(count !== undefined && { count }) };
  };
  const take = async <T>(folder: string, part: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    const ref = partRef(folder, part);
    // Of a run that was begun by an earlier version it may be where that kept it.
    return (await readIfThere(storage, ref, schema)) ?? readIfThere(storage, inRoot(ref), schema);
  };

  return {
    /** GET the project, and store it. */
    async storeProject(call: Fetch): Promise<StoredPart> {
      const { value } = await callRoute(runtimeOf(deps, call.account), 'projects.get', { id: call.projectId });
      return put(call.folder, 'project', value);
    },

    /** GET the analysis, and store it. */
    async storeAnalysis(call: Fetch): Promise<StoredPart> {
      const { value } = await callRoute(runtimeOf(deps, call.account), 'projects.analysis', { id: call.projectId });
      const { opportunityCount: opportunities } = value;
      return { ...(await put(call.folder, 'analysis', value)), ...(opportunities && { opportunities }) };
    },

    /** GET the opportunities, all or those of one category by the API's own filter, and store them. */
    async storeOpportunities({ category, ...call }: Fetch & { category?: Category }): Promise<StoredPart> {
      const { value } = await callRoute(runtimeOf(deps, call.account), 'projects.opportunities', {
        id: call.projectId,
        query: { category },
      });
      return put(
        call.folder,
        category ? `opportunities-${category}` : 'opportunities',
        value.items,
        value.items.length,
      );
    },

    /** GET the deliverables, and store them. */
    async storeDeliverables(call: Fetch): Promise<StoredPart> {
      const { value } = await callRoute(runtimeOf(deps, call.account), 'projects.deliverables', { id: call.projectId });
      return { ...(await put(call.folder, 'deliverables', value)), incomplete: value.isComplete === false };
    },

    /** Makes the report from what was stored. No call of the API. */
    async writeReport({ folder }: { folder: string }): Promise<StoredReport> {
      const categories: Partial<Record<Category, string[]>> = {};
      for (const category of CATEGORIES)
        categories[category] = (await take(folder, `opportunities-${category}`, Listed))?.map(({ id }) => id) ?? [];
      const report: AuditReport = {
        project: (await take(folder, 'project', Project)) ?? Project.parse({ id: 'unknown' }),
        analysis: await take(folder, 'analysis', AuditAnalysis),
        deliverables: await take(folder, 'deliverables', Deliverables),
        opportunities: (await take(folder, 'opportunities', Listed)) ?? [],
        categories,
      };
      const { html, markdown, svg } = renderReport(report);
      const file = (name: string) => `${folder}/${name}`;
      if (svg === undefined) await storage.delete(file(REPORT_FILES.svg));
      else await storage.write(file(REPORT_FILES.svg), svg, { contentType: 'image/svg+xml' });
      await storage.write(file(REPORT_FILES.markdown), markdown, { contentType: 'text/markdown; charset=utf-8' });
      await storage.write(file(REPORT_FILES.html), html, { contentType: 'text/html; charset=utf-8' });
      return {
        html: file(REPORT_FILES.html),
        markdown: file(REPORT_FILES.markdown),
        url: storage.urlOf(file(REPORT_FILES.html)),
      };
    },
  };
}
