/** A server that refuses: what a person is told to do about it. */
import { GRPC } from '../../src/temporal/grpc-status';
import { explain } from '../../src/temporal/unreachable';

const WHERE = { address: 'there:7233', namespace: 'default' };
const refusal = (words: string, status: keyof typeof GRPC = 'PERMISSION_DENIED') =>
  Object.assign(new Error(`${GRPC[status]} ${status}: ${words}`), { code: GRPC[status], details: words, metadata: {} });

test.each([
  'Schedules are disabled on this namespace.',
  'UpdateWorkflowExecution operation is disabled on this namespace.',
  'ExecuteMultiOperation API is disabled on this namespace.',
  'List is disabled on this namespace.',
])('what is switched off there is told in its words, and no fault of a key: %s', (words) => {
  const { found, mend, mayCome } = explain(WHERE, refusal(words));
  expect(found).toBe(`the Temporal server at there:7233 refuses us in namespace 'default': ${words.slice(0, -1)}`);
  expect(mend).toMatch(/^have it allowed there/);
  expect(mayCome).toBe(false);
});

test.each([
  refusal('Request unauthorized.'),
  refusal('audience mismatch'),
  refusal('invalid token with no claims'),
  refusal('no such caller', 'UNAUTHENTICATED'),
])('who is not known there, or may not do it, is told to look at the key: %s', (error) => {
  expect(explain(WHERE, error).mend).toMatch(/^check TEMPORAL_API_KEY or the TLS certificate/);
});
