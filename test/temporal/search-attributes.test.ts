/** A namespace that others use as well: what a person is told where our search attributes do not fit beside theirs. */
import { temporal } from '@temporalio/proto';
import { GRPC } from '../../src/temporal/grpc-status';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import { explained, TemporalUnreachable } from '../../src/temporal/unreachable';

const { INDEXED_VALUE_TYPE_INT } = temporal.api.enums.v1.IndexedValueType;
type Services = Parameters<typeof registerSearchAttributes>[0];

/** A server that has these, and answers so whoever adds some. */
const server = (customAttributes: Record<string, number>, add: () => Promise<unknown> = async () => ({})): Services =>
  ({
    operatorService: { listSearchAttributes: async () => ({ customAttributes }), addSearchAttributes: add },
    workflowService: { countWorkflowExecutions: async () => ({}) },
  }) as unknown as Services;

const invalid = (details: string) =>
  Object.assign(new Error(`3 INVALID_ARGUMENT: ${details}`), { code: GRPC.INVALID_ARGUMENT, details, metadata: {} });
const said = async (services: Services): Promise<unknown> => {
  const failure = await registerSearchAttributes(services, 'shared').catch((error: unknown) => error);
  return explained({ address: 'there:7233', namespace: 'shared' }, failure);
};

test('where there is no place for them that is said, in the words of the server, and not to run setup', async () => {
  const words = 'Unable to create search attributes: cannot have more than 10 search attribute of type Keyword';
  const failure = await said(server({}, () => Promise.reject(invalid(`${words}.`))));
  expect(failure).toBeInstanceOf(TemporalUnreachable);
  expect(String(failure)).toMatch(
    /does not take the search attributes Account \(Keyword\), .* in namespace 'shared': /,
  );
  expect(String(failure)).toContain(`${words}; remove some that nobody uses there, or use a namespace of its own`);
  expect(String(failure)).not.toContain('setup');
});

test('where one has another type it is said that all namespaces may share it', async () => {
  const failure = await said(server({ Stage: INDEXED_VALUE_TYPE_INT }));
  expect(String(failure)).toContain("The namespace 'shared' has a search attribute Stage that is not of type Keyword");
  expect(String(failure)).toMatch(/with Elasticsearch all namespaces share .*: ask who uses it before you remove it/);
});
