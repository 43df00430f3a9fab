import { formatDuration } from '../../time/duration';
import { utc } from '../../time/utc';
import { clip, html, type Markup, trusted } from '../text';
import { dayChart, holdChart, shortDay } from './charts';
import { type AccountSpending, bookedIn, type DaySpending, type SpendingFacts, sum } from './facts';
import { partsOf } from './parts';
import { SPENDING_STYLE } from './style';
import { figures, share } from './tables';
import { CAUSE_TEXT, credits, holdText, spelled, typeText } from './words';

/** The report as one page that loads nothing and runs nothing. */
export function page(facts: SpendingFacts): Markup {
  const { accounts, since, madeAt } = facts;
  const span = `${date(since)} to ${date(madeAt)}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Spending report, ${span}</title>
<style>${trusted(SPENDING_STYLE)}</style>
</head>
<body>
<header><p class="eyebrow">Spending report</p>
<h1>${span}</h1>
<p class="about">${accounts.length === 1 ? html`Account ${accounts[0]?.account}` : html`${accounts.length} accounts: ${accounts.map(({ account }) => account).join(', ')}`} · made ${utc(madeAt)} UTC</p>
</header>
<main>
${accounts.map((account, index) => accountPart(account, facts, index))}
</main>
<footer>Credits are those of the ledger’s books. Runs are counted by the Temporal server, which forgets those that ended before its retention period. Times are UTC where no zone is named.</footer>
</body>
</html>
`;
}

const date = (ms: number): string => `${shortDay(utc(ms).slice(0, 10))} ${utc(ms).slice(0, 4)}`;
const missing = (sentence: string) => html`<p class="missing">${sentence}</p>`;

function accountPart(one: AccountSpending, { accounts, since, madeAt }: SpendingFacts, index: number): Markup {
  const id = `a${index}`;
  const title =
    accounts.length > 1
      ? html`<h2 class="account${index === 0 ? ' first' : ''}" id="${id}">Account ${one.account}</h2>`
      : undefined;
  return html`${title}${tiles(one)}
<section><h2>Spending by day</h2><p class="lead">By the ledger’s books; days of the time zone ${one.timeZone}.</p>${one.days.some(isAnything) ? html`${dayChart(one, id)}${dayTable(one)}` : missing('Nothing was spent in the period.')}</section>
<section><h2>Pipelines</h2>${pipelines(one)}</section>
<section><h2>Batches</h2>${batches(one)}</section>
<section><h2>From listed to audited</h2>${funnel(one)}</section>
<section><h2>What became of the runs</h2>${outcomes(one)}</section>
<section><h2>What runs waited for</h2>${waits(one)}</section>
<section><h2>Holds of the account</h2>${holds(one, [since, madeAt], id)}</section>
<section><h2>What did not go well</h2>${failures(one)}</section>
${one.notes.length === 0 ? undefined : html`<aside class="notices" aria-label="About the data"><ul>${one.notes.map((note) => html`<li>${note}</li>`)}</ul></aside>`}
`;
}

function tiles(one: AccountSpending): Markup {
  const { days, perDay, balance, reserved, balanceFloor, funnel: leads, failures: failed } = one;
  const booked = bookedIn(one);
  const today = days.at(-1)?.booked ?? 0;
  const dropped = days.filter((day) => day.booked === null).length;
  const tile = (name: string, value: string, also: string) =>
    html`<div><dt>${name}</dt><dd>${value}</dd><dd>${also}</dd></div>`;
  return html`<dl class="tiles">
${tile('Spent in the period', credits(booked), `credits in ${days.length} days${dropped > 0 ? `, ${dropped} of them not known` : ''}`)}
${tile('Conversions', credits(leads.converted), leads.converted > 0 ? 'leads that became projects' : 'none ended in the period')}
${tile('Spent today', credits(today), perDay === null ? 'no cap on a day' : `of ${credits(perDay)} a day`)}
${tile('Balance', balance === undefined ? '–' : credits(balance), balance === undefined ? 'not read' : `${credits(reserved)} reserved for calls under way${balanceFloor > 0 ? `, ${credits(balanceFloor)} must remain` : ''}`)}
</dl>${failed.of === 0 ? undefined : html`<p class="small">${failed.of === 1 ? 'One run or item' : html`${credits(failed.of)} runs and items`} did not end well: see the end of this part.</p>`}`;
}

const isAnything = ({ booked, sources }: DaySpending) => booked === null || booked !== 0 || sources.length > 0;

/** A row for each day on which something was spent, the latest first. */
function dayTable({ days, perDay }: AccountSpending): Markup {
  const parts = partsOf(days);
  const ofCap = (booked: number | null) =>
    perDay === null || perDay === 0 || booked === null ? [] : [`${Math.round((100 * booked) / perDay)} %`];
  const hasCap = perDay !== null && perDay > 0;
  const some = (value: number) => (value === 0 ? html`<span class="ok">–</span>` : credits(value));
  const rows = days
    .filter(isAnything)
    .map((day) => [
      html`<span class="day">${day.day}</span>`,
      html`<b>${day.booked === null ? 'not known' : credits(day.booked)}</b>`,
      ...(hasCap ? [ofCap(day.booked)[0] ?? '–'] : []),
      ...parts.map(({ of }) => some(of(day))),
      some(day.conversions),
    ]);
  return figures({
    look: 'tight',
    head: [
      'Day',
      'Credits',
      ...(hasCap ? ['Of the cap'] : []),
      ...parts.map(({ name }) => html`<span class="name">${clip(name, 40)}</span>`),
      'Conversions',
    ],
    rows: rows.reverse(),
    foot: [
      'Sum',
      credits(sum(days.map(({ booked }) => booked ?? 0))),
      ...(hasCap ? [''] : []),
      ...parts.map(({ of }) => credits(sum(days.map(of)))),
      credits(sum(days.map(({ conversions }) => conversions))),
    ],
  });
}

function pipelines({ pipelines: all }: AccountSpending): Markup {
  if (all.length === 0) return missing('No pipeline ran in the period.');
  return figures({
    head: ['Pipeline', 'Runs', 'Under way', 'Converted', 'Credits', 'Credits a conversion'],
    rows: all.map(({ name, runs, underWay, read, converted, credits: spent }) => {
      const isAll = read === runs;
      return [
        name === undefined ? 'started by hand' : html`<b>${clip(name, 80)}</b>`,
        ...[credits(runs), credits(underWay), `${isAll ? '' : 'at least '}${credits(converted)}`, credits(spent)],
        isAll && converted > 0 ? credits(Math.round(spent / converted)) : '–',
      ];
    }),
  });
}

function batches({ batches: all }: AccountSpending): Markup {
  if (all.length === 0) return missing('No batch ran in the period.');
  return figures({
    look: 'first-wide',
    head: ['Batch', 'Ended', 'Items', 'What became of them', 'Credits'],
    words: [1, 3],
    rows: all.map(({ id, operation, startedAt, endedAt, ended, items, counts, credits: spent }) => [
      html`<span class="id">${clip(id, 120)}</span><br><span class="ok">${operation === undefined ? undefined : html`${operation}, `}<span class="day">begun ${utc(startedAt)}</span></span>`,
      html`${spelled(ended)}${endedAt === undefined ? undefined : html`<br><span class="ok day">after ${formatDuration(endedAt - startedAt)}</span>`}`,
      items === undefined ? '–' : credits(items),
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([outcome, count]) => `${credits(count)} ${spelled(outcome)}`)
        .join(', ') || '–',
      spent === undefined ? '–' : credits(spent),
    ]),
  });
}

function funnel({ funnel: { listed, chosen, converted, audited } }: AccountSpending): Markup {
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

function outcomes({ runs }: AccountSpending): Markup {
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

function waits({ waits: { sampled, of, causes } }: AccountSpending): Markup {
  if (sampled === 0)
    return missing('No run that ended in the period could be looked at, so nothing is known of waits.');
  const basis =
    sampled === of
      ? `All ${credits(of)} runs that ended in the period were looked at.`
      : `${credits(sampled)} of the ${credits(of)} runs that ended in the period were looked at, spread over its days; the others are not in these figures.`;
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

function holds({ holds: all }: AccountSpending, span: readonly [number, number], id: string): Markup {
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

function failures({ failures: { reasons, read, of } }: AccountSpending): Markup {
  if (of === 0) return missing('Nothing: every run and item that ended in the period ended well.');
  const basis =
    read < of
      ? html`<p class="lead">The reasons of ${credits(read)} of ${credits(of)} runs and items were read; the others are counted above, without their reasons.</p>`
      : undefined;
  return html`${basis}${figures({
    head: ['What', 'Reason', 'Count'],
    words: [1],
    rows: reasons.map(({ what, reason, count }) => [
      spelled(what),
      html`${spelled(clip(reason, 120))}`,
      credits(count),
    ]),
  })}`;
}
