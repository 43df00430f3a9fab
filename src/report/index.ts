/** What a client is handed after an audit: one page, the same as Markdown, and the picture that the latter refers to. */
import { markdown } from './markdown';
import { matrixOf } from './matrix';
import { type AuditReport, viewOf } from './model';
import { page } from './report-page';

export type { AuditReport } from './model';

/** Names of the report's files. They stand beside each other: the Markdown refers to the picture by its name. */
export const REPORT_FILES = { html: 'report.html', markdown: 'report.md', svg: 'report.svg' } as const;

/** Contents of {@link REPORT_FILES}. */
export interface Report {
  /** Self-contained: no script, no font, picture or style from elsewhere. */
  readonly html: string;
  readonly markdown: string;
  /** Absent when no opportunity has both scores; then nothing refers to it. */
  readonly svg: string | undefined;
}

/**
 * Renders what the service said and nothing else: what it did not give is said to be missing. All text from the API is shown
 * as the characters it is made of, whatever markup it resembles. The same input gives the same bytes, so that writing a
 * report twice leaves one report.
 */
export function renderReport(report: AuditReport): Report {
  const view = viewOf(report);
  const { svg } = matrixOf(view.entries);
  return {
    html: page(view).source,
    markdown: markdown(view, REPORT_FILES.svg),
    svg: svg && `<?xml version="1.0" encoding="UTF-8"?>\n${svg.source}\n`,
  };
}
