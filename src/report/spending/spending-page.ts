import { html, type Markup } from '../../text/printable';
import { utc } from '../../time/utc';
import { documentOf } from '../document';
import { caps, hasCaps } from './caps';
import { dayChart, shortDay } from './charts';
import { type AccountSpending, bookedIn, type SpendingFacts } from './facts';
import { batches, dayTable, isAnything, pipelines } from './money';
import { failures, funnel, holds, outcomes, waits } from './run-parts';
import { SPENDING_STYLE } from './style';
import { missing } from './tables';
import { credits } from './words';

/** The report as one page that loads nothing and runs nothing. */
export function page(facts: SpendingFacts): Markup {
  const { accounts, since, madeAt } = facts;
  const span = `${date(since)} to ${date(madeAt)}`;
  const body = html`<header><p class="eyebrow">Spending report</p>
<h1>${span}</h1>
<p class="about">${accounts.length === 1 ? html`Account ${accounts[0]?.account}` : html`${accounts.length} accounts: ${accounts.map(({ account }) => account).join(', ')}`} · made ${utc(madeAt)} UTC</p>
</header>
<main>
${accounts.map((account, index) => accountPart(account, facts, index))}
</main>
<footer>Credits are those of the ledger’s books. Runs are counted by the Temporal server, which forgets those that ended before its retention period. Times are UTC where no zone is named.</footer>`;
  return documentOf(`Spending report, ${span}`, SPENDING_STYLE, body);
}

const date = (ms: number): string => `${shortDay(utc(ms).slice(0, 10))} ${utc(ms).slice(0, 4)}`;

function accountPart(one: AccountSpending, { accounts, since, madeAt }: SpendingFacts, index: number): Markup {
  const id = `a${index}`;
  const title =
    accounts.length > 1
      ? html`<h2 class="account${index === 0 ? ' first' : ''}" id="${id}">Account ${one.account}</h2>`
      : undefined;
  return html`${title}${tiles(one)}
<section><h2>Spending by day</h2><p class="lead">By the ledger’s books; days of the time zone ${one.timeZone}.</p>${one.days.some(isAnything) ? html`${dayChart(one, id)}${dayTable(one)}` : missing('Nothing was spent in the period.')}</section>
<section><h2>Against the caps</h2>${hasCaps(one) ? html`<p class="lead">The caps are those that hold now. What one run may spend is held against what its own input allows as well.</p>${caps(one)}` : missing('No cap is set for a day, a month or one run.')}</section>
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
