/** Words and constructions that have slipped into the documents before, each with a sentence in which it is found. */
export interface Avoided {
  readonly wrong: RegExp;
  /** What to write. */
  readonly instead: string;
  readonly planted: string;
}

const rule = (wrong: RegExp, instead: string, planted: string): Avoided => ({ wrong, instead, planted });

export const AVOID: readonly Avoided[] = [
  // Words that add nothing, or that a plain reader does not use.
  rule(
    /\b(simply|just(?! (?:before|as|after)\b)|easily|obviously|basically|of course|clearly)\b/gi,
    'nothing',
    'Simply start it.',
  ),
  rule(
    /\b(in order to|utili[sz]e\w*|leverag\w+|facilitat\w+|aforementioned|respectively)\b/gi,
    'a plain word',
    'Utilise the sandbox.',
  ),
  rule(
    /\b(e\.g\.|i\.e\.|etc\.?|and\/or|resp\.|w\.r\.t\.)(?=\W|$)/gi,
    "'for example' or the list",
    'Leads, notes, etc.',
  ),
  rule(/\b(please|kindly)\b/gi, 'the instruction itself', 'Please restart it.'),
  rule(/\bnobody's\b|\bwhosoever\b|\bthereof\b|\btherein\b|\bhereby\b/gi, 'a plain word', "It is nobody's."),
  rule(
    /\b(actualize|informations|softwares|advices|allows to|enables to|permits to)\b/gi,
    'English',
    'It allows to pay.',
  ),
  rule(
    /\b(master|slave|whitelist|blacklist|sanity check)\b/gi,
    "'main', 'replica', 'allowlist', 'check'",
    'The whitelist of a token.',
  ),
  rule(/!(?=\s|$)/gm, 'a full stop', 'It works!'),

  // Words in the place of others.
  rule(/\b(heard out|seen to|sees to|gone on with|made good|makes it so)\b/gi, 'the usual verb', 'It is seen to.'),
  rule(/\b(mend|mends|mended|mending)\b/gi, "'fix', 'restore'", 'Doctor says how to mend it.'),
  rule(
    /\bbeside (?=(?:the|this|that) (?:same|other)\b)|\bbeside what\b/gi,
    "'besides', 'and what'",
    'Beside what was paid.',
  ),
  rule(/\banew\b/gi, "'again'", 'The text is laid out anew.'),
  rule(
    /(?<!\b(?:leave|leaves|left|let)\b[^.]{0,40})\balone\b/gi,
    "'only', before what it belongs to",
    'Its log has errors alone.',
  ),
  rule(/(?<!\bthere )\b(?:is|are) none\b/gi, "'is not one'", 'A price that is none.'),
  rule(/\bwhat is there\b(?!,| read)/gi, 'its name', 'It reads what is there.'),
  rule(/\bstands? (?:below|beside|there|on the|in (?!for\b))/gi, "'is'", 'The schedule stands in the file.'),
  rule(/\bbut for (?=the|a|an|code\d)/gi, "'except for'", 'All gauges but for the last.'),
  rule(/\bnothing but\b(?! Temporal\b)/gi, "'only'", 'It misses nothing but workers.'),
  rule(/\bwhose word\b/gi, "'who set'", 'It shows whose word each limit is.'),

  // Word order and forms that are not idiomatic.
  rule(/\b(?:is|are|was|were|be|been) had\b/gi, "'get', 'is available'", 'The ledger cannot be had.'),
  rule(/\b(is|are|was|were) waited for\b/gi, "'waits for'", 'A reply is waited for.'),
  rule(/\b(?:is|are) told of\b|\btells? of\b/gi, "'shows', 'says that'", 'The alerts tell of that.'),
  rule(
    / of (?:before|then|late)(?=[.,;:)]|$| until\b)/gim,
    "'earlier', 'of that time'",
    'It shows the state of before.',
  ),
  rule(/\bby that(?=[.,;])/gi, 'what does it', 'A pause is lost by that.'),
  rule(/\b(?:go|goes|went) by code\d/gi, "'is sent with', 'uses'", 'An answer goes by `answer`.'),
  rule(/\b(of which|by which) (one|two|each|none)\b/gi, 'a sentence of its own', 'Two calls, of which one failed.'),
  rule(/\b(performs?|carries out) (a|an|the) \w+(tion|sion|ment)\b/gi, 'the verb itself', 'It performs a conversion.'),
  rule(/(?<=^|[.:;!?] )Who (?!is\b|are\b|can\b|may\b)\w+/gm, "'Anybody who', 'if you'", 'Who starts it pays.'),
  rule(
    /(?<=^|[.;:!?] )Where (?!is\b|are\b|to\b|does\b)[^.,;:|]+, /gm,
    "'If'",
    'Where encryption is on, it needs a key.',
  ),
  rule(
    /\b(?:has|have) (?:each|every) [^.,;]{1,40} \w+ed again\b/gi,
    'the verb itself',
    'It has each note read and used again.',
  ),
  rule(/(\b\w+\b) \1\b/gi, 'the word once', 'Press the the button.'),
];
