import { StorageError } from '../../src/storage';
import { passing } from '../../src/storage/passing';

const system = (code: string) => Object.assign(new Error(`${code}: open '/data/in/Wilhelmina Quux.pdf'`), { code });

test.each([
  ['ENOSPC', 'it is full: make room in it.'],
  ['EACCES', 'let the worker read and write there.'],
  ['EEXIST', 'its place is no folder: put one there.'],
  ['ECONNRESET', 'see that it is there.'],
])('%s passes once a person has mended it, and names no file (S4)', (code, mend) => {
  const failure = passing(system(code));
  expect(failure).toMatchObject({ name: 'StorageUnusable', message: `The storage cannot be used (${code}): ${mend}` });
});

test('what a storage itself calls unusable keeps its words', () => {
  const failure = new StorageError('unusable', 'The bucket does not exist', 'create it');
  expect(passing(failure)).toBe(failure);
});

test.each<[string, unknown]>([
  ['a document that is not there', new StorageError('notFound', 'There is no document.')],
  ['an error in the code', new TypeError('x is not a function')],
  ['an error of Node', system('ERR_INVALID_ARG_TYPE')],
  ['a call that was given up', system('ABORT_ERR')],
  ['an answer of the Temporal server', Object.assign(new Error('not found'), { code: 5 })],
])('does not take for it: %s', (_, error) => {
  expect(passing(error)).toBeUndefined();
});
