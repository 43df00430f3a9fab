/** What a worker that requires encryption takes, by where data are from and where they arrive. */
import { type Arrival, apart, type Origin, refusal, withOrigin } from '../../src/runs/origins';

const MINUTE = 60_000;
const SINCE = Date.parse('2026-11-24T12:00:00Z');
const required = { since: SINCE, until: SINCE + 30 * 24 * 60 * MINUTE };
const BEGAN = SINCE + 60 * MINUTE;
const at = (what: Arrival['what'], more: Partial<Arrival> = {}): Arrival => ({
  ...{ what, name: 'x', workflowId: 'w', startedAt: BEGAN, now: BEGAN + MINUTE },
  ...more,
});
const old = { startedAt: SINCE - MINUTE };

const TAKEN: [string, Origin, Arrival][] = [
  ['what was encrypted for it', { form: 'run' }, at('result')],
  ['a start as one', { form: 'run', as: 'start x', at: BEGAN - 4 * MINUTE }, at('start')],
  ['a start by a clock that is ahead', { form: 'run', as: 'start x', at: BEGAN + 4 * MINUTE }, at('start')],
  ['what a run gives to another', { form: 'run' }, at('start')],
  ['an update long after the start', { form: 'run', as: 'update x', at: BEGAN + 9_000 * MINUTE }, at('update')],
  ['an update by a clock that is behind', { form: 'run', as: 'update x', at: BEGAN - 4 * MINUTE }, at('update')],
  [
    'an update of a worker, whatever its clock',
    { form: 'run', as: 'update x', at: 0 },
    at('update', { byWorker: true }),
  ],
  ['a form that starts a run', { form: 'namespace', at: BEGAN }, at('start')],
  ['a form that names its run', { form: 'namespace', at: BEGAN }, at('update', { run: 'w' })],
  ['a form that asks', { form: 'namespace' }, at('query')],
  ...(['plain', 'earlier'] as const).flatMap((form): [string, Origin, Arrival][] =>
    (['start', 'signal', 'result', 'arguments'] as const).map((what) => [
      `${what} of a run that was open (${form})`,
      { form },
      at(what, old),
    ]),
  ),
];
test.each(TAKEN)('%s is taken', (_, origin, arrival) => {
  expect(refusal(origin, arrival, required)).toBeUndefined();
});

const EVERYTHING = ['start', 'signal', 'update', 'query', 'result', 'arguments'] as const;
const REFUSED: [string, Origin, Arrival, string][] = [
  ...EVERYTHING.flatMap((what): [string, Origin, Arrival, string][] => [
    [
      `${what} in the clear`,
      { form: 'plain' },
      at(what),
      'it is not encrypted, and encryption is required here since 2026-11-24 12:00:00 UTC',
    ],
    [`${what} by 0.2.0`, { form: 'earlier' }, at(what), 'encrypted by an earlier version, for no run in particular'],
  ]),
  // Nobody needs to send these as before.
  ['update in the clear to a run that was open', { form: 'plain' }, at('update', old), 'it is not encrypted'],
  ['query in the clear to a run that was open', { form: 'plain' }, at('query', old), 'it is not encrypted'],
  ...(['signal', 'result', 'arguments'] as const).map((what): [string, Origin, Arrival, string] => [
    `${what} of a run that was open, after the date`,
    { form: 'earlier' },
    at(what, { ...old, now: required.until }),
    'until 2026-12-24 12:00:00 UTC',
  ]),
  [
    'another message',
    { form: 'run', as: 'update pause', at: BEGAN },
    at('update'),
    'as another message (update pause)',
  ],
  ['the start of another type', { form: 'run', as: 'start y', at: BEGAN }, at('start'), 'as another message (start y)'],
  ['a message as a result', { form: 'run', as: 'update x', at: BEGAN }, at('result'), 'as another message (update x)'],
  ['a start of before', { form: 'run', as: 'start x', at: BEGAN - 6 * MINUTE }, at('start'), 'it is a copy'],
  ['a start of afterwards', { form: 'run', as: 'start x', at: BEGAN + 6 * MINUTE }, at('start'), 'it is a copy'],
  ['an update of before', { form: 'run', as: 'update x', at: BEGAN - 6 * MINUTE }, at('update'), 'it is a copy'],
  ['a form of before', { form: 'namespace', at: BEGAN - 6 * MINUTE }, at('update', { run: 'w' }), 'it is a copy'],
  ['a form for no run', { form: 'namespace', at: BEGAN }, at('update'), 'add "run": "w" to it'],
  ['a form for another run', { form: 'namespace', at: BEGAN }, at('update', { run: 'v' }), 'add "run": "w" to it'],
  ['what is no form', { form: 'namespace' }, at('start'), 'it was not encrypted as a message'],
  ...(['signal', 'result', 'arguments'] as const).map((what): [string, Origin, Arrival, string] => [
    `${what} for no run`,
    { form: 'namespace', at: BEGAN },
    at(what),
    'for no run in particular',
  ]),
];
test.each(REFUSED)('%s is refused', (_, origin, arrival, why) => {
  expect(refusal(origin, arrival, required)).toContain(why);
});

test.each([[{ by: 'Ann' }], [{}], [[1, { a: 2 }]], ['text'], [0], [null], [undefined]])(
  'where %j is from is put beside it, and taken off again',
  (value) => {
    const origin: Origin = { form: 'run', seal: 'abc' };
    const sent: unknown = JSON.parse(JSON.stringify(withOrigin(value, origin)));
    expect(apart(sent).value).toEqual(value);
    expect(apart(sent).origin).toMatchObject(origin);
    expect(apart(value)).toEqual({ value });
  },
);

test('nobody says of data where they are from by writing it into them', () => {
  const forged = withOrigin({ by: 'Eve' }, { form: 'run' });
  expect(apart(withOrigin(forged, { form: 'plain' })).origin).toEqual({ form: 'plain' });
});
