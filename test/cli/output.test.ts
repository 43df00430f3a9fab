/** Whatever is written to a terminal goes one way, on which nothing stays that a terminal would obey. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { draw, erase, print, printJson, printSecret, printStored, tell } from '../../src/cli/output';
import { progressView } from '../../src/cli/progress';
import { packageRoot } from '../../src/temporal/package-root';

/** A title, a cleared screen, the same in one character, a turned text, a line that is overwritten, and a token. */
const HOSTILE = '\u001b]0;title\u0007 \u001b[2J \u009b2J \u202e back\b aky_abcdefghijklmnop';
const OBEYED = ['\u001b]', '\u0007', '\u001b[2J', '\u009b', '\u202e', '\b'];

let written = '';
let before: (PropertyDescriptor | undefined)[];
const STREAMS = [process.stdout, process.stderr];
beforeEach(() => {
  written = '';
  before = STREAMS.map((stream) => Object.getOwnPropertyDescriptor(stream, 'isTTY'));
  for (const stream of STREAMS) {
    Object.defineProperty(stream, 'isTTY', { value: true, configurable: true });
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += chunk;
      return true;
    });
  }
});
afterEach(() => {
  erase();
  jest.restoreAllMocks();
  for (const [n, stream] of STREAMS.entries())
    Object.defineProperty(stream, 'isTTY', before[n] ?? { value: undefined });
});

const view = (progress: Parameters<ReturnType<typeof progressView>['show']>[0]) => {
  const shown = progressView();
  shown.show(progress);
  shown.end();
};

const WAYS: [string, (text: string) => void][] = [
  ['a result', print],
  ['a hint', tell],
  ['JSON', printJson],
  ['what is stored', (text) => printStored(JSON.stringify(text))],
  ['what is meant to be told', printSecret],
  ['what a run does', (doing) => view({ doing, done: 1, total: 2 })],
  ['why it waits', (waiting) => view({ doing: 'Converting', waiting })],
  ['a line between', (text) => progressView().note(text)],
];

test.each(WAYS)('%s', (name, write) => {
  write(HOSTILE);
  expect(written).toMatch(/title/);
  for (const sign of OBEYED) expect(written).not.toContain(sign);
  if (name !== 'what is meant to be told' && name !== 'what is stored') expect(written).not.toContain('aky_abc');
});

test('what is written after a line that is drawn over takes its place, and a line that is the same is drawn once', () => {
  draw('one');
  draw('one');
  draw('two');
  tell('said');
  expect(written).toBe('\u001b[?7lone\u001b[?7h\r\u001b[K\u001b[?7ltwo\u001b[?7h\r\u001b[Ksaid\n');
});

/** Those that may: the one way, the log, and programs of their own that no terminal is meant for. */
const MAY = ['src/cli/output.ts', 'src/log.ts', 'src/temporal/bundle.ts', 'src/dev-server/sdk-download.ts'];

test('nothing else writes to standard output or standard error', () => {
  const writes = ['src', 'activities', 'workflows'].flatMap((folder) =>
    readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name))
      .filter((file) => {
        const code = readFileSync(join(packageRoot(), file), 'utf8');
        return /process\.std(?:out|err)\.(?:write|pipe)|console\.\w+\(|stream: process\.std|fs\.writeSync\([12]/.test(
          code,
        );
      }),
  );
  expect(writes.sort()).toEqual([...MAY].filter((file) => file !== 'src/log.ts').sort());
});
