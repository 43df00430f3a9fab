import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOLD_KINDS } from '../../src/ledger/state';
import { FailureType } from '../../src/runs/failure-types';
import { reasonInWords } from '../../src/runs/reason-words';

const ROOT = join(__dirname, '../..');
const source = ['workflows', 'src/batches']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, name), 'utf8'))
  .join('\n');

/** No run ends with them: they pass. */
const PASSING: readonly string[] = ['upstream', FailureType.waiting, FailureType.parked, FailureType.opening];

test('every reason that a workflow gives, and every kind of hold, has words, with the code behind them', () => {
  const forms = [/reason: '(\w+)'(?! in )/g, /new Stop\(\s*'\w+',\s*'(\w+)'/g, /\bend\('\w+',\s*'(\w+)'/g];
  const codes = forms.flatMap((form) => [...source.matchAll(form)].map(([, code = '']) => code));
  expect(new Set(codes).size).toBeGreaterThan(25);
  const silent = [...new Set([...codes, ...Object.values(FailureType), ...HOLD_KINDS])].filter(
    (code) => !PASSING.includes(code) && !/^[^(]{8,} \(\w+\)$/.test(reasonInWords(code)),
  );
  expect(silent).toEqual([]);
});

test.each([
  ['http404', 'lead', 'no lead has this ID (http404)'],
  ['http418', 'lead', 'the service refused (http418)'],
  ['http503', 'lead', 'the service failed (http503)'],
  ['planTooLow:growth', 'lead', 'the plan of the account must be growth or higher (planTooLow:growth)'],
  ['person: nobodyDecided', 'lead', 'a person looks: a question was not answered in time (nobodyDecided)'],
  // What the service has made up, and what every object has.
  ['LEAD_LOCKED', 'lead', 'LEAD_LOCKED'],
  ['constructor', 'lead', 'constructor'],
])('%s of a %s reads: %s', (code, what, words) => expect(reasonInWords(code, what)).toBe(words));
