/** The leads of a CSV file are converted by a batch, once, however often it is started. */
import { type Example, seen } from '../example';

/** What the rows of the file are; one more has no ID. */
const TO_CONVERT = 5;
const CONVERTED_BEFORE = 1;

export const csvBackfill: Example = {
  sandbox: { leads: 30 },
  async play({ command, bring, show, sandbox }) {
    for (const input of ['plan.json', 'backfill.json']) bring(input);
    bring('leads.csv', 'storage/leads.csv');
    // Code 3: the plan has found a row that cannot be used.
    await command(['backfill', 'start', '--input', '@plan.json'], 3);

    const text = await command(['backfill', 'start', '--input', '@backfill.json', '--detach']);
    const [id = ''] = text.split('\n');
    await command(['backfill', 'status']);
    await command(['run', 'backfill', '--attach', '--id', id], 3);
    const status = await command(['backfill', 'status', id], 3);
    const [, files = ''] = /in the storage: (\S+)/.exec(status) ?? [];
    show(`storage/${files}/ledger.jsonl`);
    const rest = show(`storage/${files}/quarantine.jsonl`);
    await command(['spend']);

    const { conversions } = sandbox.control.stats();
    const again = await command(['backfill', 'start', '--input', '@backfill.json'], 3);

    const { creditsSpent, conversions: after, paidTwice } = sandbox.control.stats();
    const [known, spent] = [TO_CONVERT + CONVERTED_BEFORE, creditsSpent[sandbox.userId]];
    seen(
      [`${TO_CONVERT} leads were converted`, conversions === TO_CONVERT],
      ['the row that cannot be used is set aside, with its line and the reason', /"line":7,"reason":/.test(rest)],
      [`started again, the batch found ${known} leads converted`, again.includes(`${known} done already`)],
      ['and converted none', after === TO_CONVERT && paidTwice.length === 0],
      [`${TO_CONVERT * 1_000} credits were spent, by the service's own count`, spent === TO_CONVERT * 1_000],
    );
  },
};
