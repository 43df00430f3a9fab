/** What came of runs: leads on their way, ends, waits, holds, and what did not go well. */

import { clip, html, type Markup } from '../../text/printable';
import { formatDuration } from '../../time/duration';
import { utc } from '../../time/utc';
import { holdChart } from './charts';
import type { AccountSpending } from './facts';
import { figures, missing, share } from './tables';
import { CAUSE_TEXT, credits, holdText, reasonText, spelled, typeText } from './words';

export function funnel({ funnel: { listed, chosen, converted, audited } }: AccountSpending): Markup {
  const steps = [
    ['Listed by pipelines and batches', listed],
    ['Chosen to be converted', chosen],
    ['Converted', converted],
    ['Audited', audited],
  ] as const;
  const most = Math.max(1, ...steps.map(([, count]) => count ?? 0));
  return figures({
    head: ['Leads', 'Count', 'Of the listed', ''],
    words: [3],
    rows: steps.map(([name, count]) => [
      name,
      count === undefined ? 'not known' : credits(count),
      count === undefined || !listed ? '–' : `${Math.round((100 * count) / listed)} %`,
      share((100 * (count ?? 0)) / most),
    ]),
  });
}

export function outcomes({ runs }: AccountSpending): Markup {
  const seen = runs.filter(({ running, ended }) => running > 0 || Object.keys(ended).length > 0);
  if (seen.length === 0) return missing('No run ended in the period, and none is under way.');
  return figures({
    head: ['Runs', 'Ended as', 'Count', ''],
    words: [1, 3],
    rows: seen.flatMap(({ type, running, ended }) => {
      const all = Object.entries(ended).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
      const rows = [...all, ...(running > 0 ? [['under way', running] as const] : [])];
      const most = Math.max(1, ...rows.map(([, count]) => count));
      return rows.map(([word, count], index) => [
        index === 0 ? html`<b>${typeText(type)}</b>` : '',
        spelled(word),
        credits(count),
        share((100 * count) / most),
      ]);
    }),
  });
}

export function waits({ waits: { sampled, of, causes } }: AccountSpending): Markup {
  if (sampled === 0)
    return missing('No run that ended in the period could be looked at, so nothing is known of waits.');
  const basis =
    sampled === of
      ? `All ${credits(of)} runs that ended in the period were looked at.`
      : `${credits(sampled)} of the ${credits(of)} runs that ended in the period were looked at, spread over the period as far as possible; the others are not in these figures.`;
  const longest = Math.max(1, ...causes.map(({ ms }) => ms));
  return html`<p class="lead">${basis}</p>${
    causes.length === 0
      ? missing('None of them waited for anything.')
      : figures({
          head: ['Cause', 'Runs', 'Time, all runs', 'For each run', ''],
          words: [4],
          rows: causes.map(({ cause, ms, runs }) => [
            CAUSE_TEXT[cause],
            credits(runs),
            formatDuration(ms),
            formatDuration(ms / Math.max(1, runs)),
            share((100 * ms) / longest),
          ]),
        })
  }`;
}

export function holds({ holds: all }: AccountSpending, span: readonly [number, number], id: string): Markup {
  const { spans, knownFrom } = all;
  const [since, until] = span;
  const known =
    knownFrom === undefined
      ? 'The histories of the ledger could not be read: only holds that are there now are shown.'
      : knownFrom > since
        ? `Known from ${utc(knownFrom)} UTC on; what was before (grey) is not known.`
        : undefined;
  const basis = known === undefined ? undefined : html`<p class="lead">${known}</p>`;
  if (spans.length === 0) return html`${basis}${missing('The account was not on hold.')}`;
  return html`${basis}${holdChart(all, span, holdText, `${id}-holds`)}${figures({
    head: ['Hold', 'From (UTC)', 'To (UTC)', 'Length'],
    words: [1, 2],
    rows: spans.map(({ kind, from, to }) => [
      holdText(kind),
      utc(from),
      to === undefined ? html`<b>still there</b>` : utc(to),
      formatDuration((to ?? until) - from),
    ]),
  })}`;
}

export function failures({ failures: { reasons, read, of } }: AccountSpending): Markup {
  if (of === 0) return missing('Nothing: every run and item that ended in the period ended well.');
  const basis =
    read < of
      ? html`<p class="lead">The reasons of ${credits(read)} of ${credits(of)} runs and items were read, those of the newest; the others are counted as not read.</p>`
      : undefined;
  return html`${basis}${figures({
    head: ['What', 'Reason', 'Count'],
    words: [1],
    rows: reasons.map(({ what, reason, count }) => [
      what.replace(/\w+$/, spelled),
      clip(reasonText(reason), 160),
      credits(count),
    ]),
  })}`;
}
