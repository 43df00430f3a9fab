import { forTerminal, jsonForTerminal } from '../../src/text/terminal';

const ESC = '\u001b';
/** Each would be obeyed by some terminal, or make a text read otherwise than it stands. */
const OBEYED = [
  `${ESC}[2J${ESC}[H`,
  `${ESC}]0;title\u0007`,
  `${ESC}]8;;https://evil.example${ESC}\\click${ESC}]8;;${ESC}\\`,
  `${ESC}[8mhidden${ESC}[28m`,
  '\u009b2J',
  'a\rb',
  'lead\b\b\b\bfree',
  '\u202etxt.exe',
  '\u2066a\u2069',
  '\u00ad\ufeff\u200b',
  '\u0000\u007f\u0085',
];

test.each(OBEYED)('S4: nothing in %j is obeyed', (text) => {
  expect(forTerminal(text)).not.toMatch(/[^\P{Cc}\n\t]|[^\P{Cf}\u200c\u200d]/u);
  const json = JSON.stringify({ id: text });
  expect(jsonForTerminal(json)).not.toMatch(/[^\P{Cc}\n\t]|[^\P{Cf}\u200c\u200d]/u);
  expect(JSON.parse(jsonForTerminal(json))).toEqual({ id: text });
});

test('our own styles, lines, tabs and every script stay', () => {
  for (const text of [
    `${ESC}[1mhead${ESC}[22m\n\ta`,
    `${ESC}[31mred${ESC}[39m`,
    'می\u200cخواهم 株式会社 Zoë 👩\u200d💻',
  ])
    expect(forTerminal(text)).toBe(text);
});
