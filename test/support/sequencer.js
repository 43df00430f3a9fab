/**
 * The longest files first, so that none of them is left alone at the end. Where no earlier run in this folder tells how long
 * they take, as in CI, one that waits for servers takes as long as what it holds is long, its suite included, or as long as
 * it says with `@takes`.
 */
const { readFileSync, statSync } = require('node:fs');
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Measured, roughly: 5 KB of such tests take 20 s. */
const MS_PER_BYTE = 4;
const SAID = /@takes (\d+) s\b/;
const OWN = /from '(\.\/[\w./-]+)'/g;

function guess(file) {
  const text = readFileSync(file, 'utf8');
  const said = SAID.exec(text);
  if (said) return Number(said[1]) * 1_000;
  const own = [...text.matchAll(OWN)].map(([, name]) => path.join(path.dirname(file), `${name}.ts`));
  const sizes = own.map((one) => statSync(one, { throwIfNoEntry: false })?.size ?? 0);
  return MS_PER_BYTE * sizes.reduce((sum, size) => sum + size, text.length);
}

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const isUnit = ({ context }) => context.config.displayName.name === 'unit';
    const time = (test) => test.duration ?? (isUnit(test) ? 0 : guess(test.path));
    // It learns what is known of their durations.
    return super
      .sort(tests)
      .map((test) => ({ test, time: time(test) }))
      .sort((one, other) => other.time - one.time)
      .map(({ test }) => test);
  }
};
