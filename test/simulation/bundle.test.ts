/** The build before every patch, with which stories begin in which a new one is rolled out. */
import { readFileSync } from 'node:fs';
import { workflowBundlePath } from '../../src/temporal/bundle';
import { withoutPatches } from './worker/bundle';

it('knows no patch, however the workflows name it', () => {
  expect(withoutPatches("a((0, w_1.patched)('one') && (0, w_1.patched)(ONE) && !(0, w_1.patched)(book_1.ONE))")).toBe(
    'a(false && false && !false)',
  );
  expect(withoutPatches(readFileSync(workflowBundlePath(), 'utf8'))).not.toMatch(/\.patched\)?\(/);
});

it.each(["(0, w_1.patched)(nameOf('one'))", "w_1.patched('one')"])('is refused where it would know %s', (code) => {
  expect(() => withoutPatches(code)).toThrow('the build before every patch still asks for one');
});
