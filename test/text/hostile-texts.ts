/** Texts that somebody from outside may choose, and what a page that shows them as they stand has none of. */

/** Each would be a link, a heading, an image, HTML, a list, code or a line of its own, for one renderer or another. */
export const HOSTILE: readonly string[] = [
  ...[
    '`[Sign in](https://evil.example)```',
    '`` `[Sign in](https://evil.example)',
    '``` ` [a](https://evil.example) `',
  ],
  ...['x\n\n  # Your session has expired', 'x\n===', 'x\n---', '# heading', '  ## heading', '#heading', '= x', '===='],
  ...['[a](https://evil.example)', '[a]: https://evil.example', '[a][b]', '![i](https://evil.example/i.png)', '[^1]'],
  ...[
    'a\\](https://evil.example)',
    'a\\\\](https://evil.example)',
    '\\',
    '\\\\',
    'a\\',
    '\\`[a](https://evil.example)`',
  ],
  ...[
    '<https://evil.example>',
    '<b>bold</b>',
    '<img src=x onerror=alert(1)>',
    '<!-- x -->',
    '<a href="x">',
    '&lt;b&gt;',
  ],
  ...['&#91;a&#93;(https://evil.example)', '&#60;b&#62;', '&amp;', '&copy;'],
  ...[
    'https://evil.example',
    'www.evil.example',
    'a@evil.example',
    'mailto:a',
    '1mailto:a',
    '_mailto:a@b',
    'ftp://x.y',
  ],
  ...['file:///etc/passwd', 'xhttps://evil.example', 'HTTPS://EVIL.example', 'evil.example/x'],
  ...[
    '- item',
    '* item',
    '+ item',
    '1. item',
    '12) item',
    '- [ ] item',
    '\t- item',
    '   * item',
    'x\n- item',
    ': term',
  ],
  ...[
    '    code',
    '\tcode',
    '```js\ncode\n```',
    '~~~\ncode\n~~~',
    '``',
    '`',
    '```',
    '`a`b`',
    '` `',
    '~~gone~~',
    '$x$',
    '$$x$$',
  ],
  ...['***', '___', '* * *', '- - -', '> quote', 'a | b\n--- | ---\n1 | 2', '| a |', '*a*', '**a**', '_a_', '***a*'],
  ...[
    '**Waiting since 2026**: pay',
    '*More* [a](https://evil.example)',
    '*a `b* c`',
    '`a` `b',
    'a`[b](https://evil.example)',
  ],
  ...['x@{workflowId}', '{workflowId}', '`{runId}`', '//{namespace}', '{#id .class}', '\\(x\\)', '%% title'],
  ...[
    'Approved\u202e.oN',
    'a\u2066b\u2069',
    'a\u0000b',
    'a\u0007\u001b[2Jb',
    'a\u0085b',
    'a\u2028b',
    'a\ud800',
    '\u200bx\ufeff',
  ],
  // What a terminal obeys: titles, links and hidden text, in C1 too; and what turns a name round.
  ...[
    '\u001b]0;title\u0007',
    '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
    '\u001b[8mhidden\u001b[28m',
    '\u009b2J\u009d0;t\u009c',
    'lead\b\b\b\bfree',
    'a\rb',
    '\u202etxt.exe',
  ],
  // What the filter of a list, a shell, a spreadsheet or a storage might take for its own.
  ...[
    "x' OR WorkflowId != 'x",
    "\\' OR ''='",
    "'",
    'x" OR "a"="a',
    '$(id)',
    "x'; id; '",
    '--config=/tmp/evil',
    '%PATH%',
  ],
  ...['=1+1', '+1', '-1+1', '@SUM(1)', '\t=1', '=HYPERLINK("https://evil.example","a")', 'a,b\r\n=1'],
  ...['../../etc/passwd', '..', '/etc/passwd', 'a/../../b', 'C:\\x', 'aux', '.hidden', 'x'.repeat(300)],
];

/** What the Web UI puts into placeholders: IDs that anybody may choose. */
export const WORKFLOW_ID = '`[Sign in](https://evil.example)`';

const SIGNS = '`*_[]()<>#-+=|~$\\!&;:.@/{} \n\tab1';

/** More of them, the same for the same seed. */
export function randomTexts(count: number, seed: number): string[] {
  let state = seed;
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
  const pieces = [...SIGNS, '[a](https://evil.example)', 'https://evil.example', '```', '{workflowId}', '\n\n# x\n\n'];
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)]).join(''),
  );
}

/** As the Web UI does before it renders. */
export const filledIn = (markdown: string): string =>
  markdown.replaceAll('{namespace}', 'default').replaceAll('{workflowId}', WORKFLOW_ID).replaceAll('{runId}', 'run');

/** What stands in rendered HTML beside paragraphs, emphasis and code. */
export const faultsIn = (html: string): string[] =>
  (html.match(/<[^>]*>/g) ?? []).filter((tag) => !/^<\/?(?:p|em|strong|code|br)(?: ?\/)?>$/.test(tag));

/** What is neither shown as it stands nor refused. */
export const OBEYED = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u;
