/** What nobody should send, and anybody can. */
import type { temporal } from '@temporalio/proto';

type IPayload = temporal.api.common.v1.IPayload;

const bytes = (text: string) => Buffer.from(text);
const json = (text: string): IPayload => ({ metadata: { encoding: bytes('json/plain') }, data: bytes(text) });

/** `[[[…]]]` */
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** JSON of the wrong shape. */
export const WRONG: readonly [name: string, payloads: IPayload[]][] = [
  ['nothing', []],
  ['null', [json('null')]],
  ['number', [json('-5000000')]],
  ['text', [json('"x"')]],
  ['list', [json('[1,"a",null]')]],
  ['empty', [json('{}')]],
  ['unknown-field', [json('{"nonsense":{"a":1}}')]],
  ['proto', [json('{"__proto__":{"reason":"x"},"constructor":{"prototype":{"by":1}}}')]],
  [
    'wrong-types',
    [json('{"reason":5,"by":{},"decision":[],"credits":-5000000,"perDay":-1,"now":"yes","subject":"__proto__"}')],
  ],
  ['two', [json('{}'), json('{"before":{}}'), json('"third"')]],
];

export const HUGE: readonly [string, IPayload[]][] = [
  ['text', [json(JSON.stringify('x'.repeat(1_500_000)))]],
  ['field', [json(JSON.stringify({ reason: 'x'.repeat(1_500_000), by: 'x' }))]],
  ['key', [json(`{"${'k'.repeat(1_500_000)}":1}`)]],
];

export const NESTED: readonly [string, IPayload[]][] = [
  ['10', [json(nested(10))]],
  ['10000', [json(nested(10_000))]],
  ['in-a-field', [json(`{"reason":${nested(5_000)},"leadId":${nested(5_000)}}`)]],
];

/** Payloads that no converter of ours can read. */
export const UNREADABLE: readonly [string, IPayload[]][] = [
  ['not-json', [json('{"a":')]],
  ['empty-json', [json('')]],
  ['no-encoding', [{ data: bytes('x') }]],
  ['unknown-encoding', [{ metadata: { encoding: bytes('binary/nonsense') }, data: bytes('x') }]],
  [
    'other-key',
    [
      {
        metadata: { encoding: bytes('binary/encrypted'), 'encryption-key-id': bytes('0123456789abcdef') },
        data: bytes('x'.repeat(64)),
      },
    ],
  ],
  ['bad-utf8', [{ metadata: { encoding: bytes('json/plain') }, data: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }]],
];

/** What workers say to a ledger, said by somebody else; all of it has to be refused. */
export const LIES: readonly [update: string, said: unknown][] = [
  ['settle', { subject: 'lead:x', attempt: 'x', run: 'x', settlement: { kind: 'paid', credits: -5_000_000 } }],
  ['settle', { subject: 'lead:x', attempt: 'x', run: 'x', settlement: { kind: 'paid', credits: 1e300 } }],
  ['settle', { subject: 'lead:x', attempt: 'x', run: 'x', settlement: { kind: 'paid', credits: 0.5 } }],
  ['settle', { subject: '__proto__', attempt: 'x', run: '__proto__', settlement: { kind: 'paid', credits: 1 } }],
  ['settle', { subject: 'lead:x', settlement: { kind: 'toString' } }],
  ['configure', {}],
  ['configure', { account: 'default' }],
  ['configure', { account: 'default', budget: {}, timing: {} }],
  ['configure', { account: 'default', budget: { perDay: null, balanceFloor: 0, timeZone: 'Mars' }, timing: {} }],
  ['beginSend', { subject: 'lead:x' }],
  ['beginSend', { subject: 'lead:x', attempt: 'x', run: 'x', credits: -1, lookedAt: 1, runCap: 0 }],
  ['reportHold', { kind: 'constructor', reason: 'x' }],
  ['park', { rateClass: '__proto__', until: 8e15 }],
  ['park', { rateClass: 'writes', until: 'for ever' }],
];
