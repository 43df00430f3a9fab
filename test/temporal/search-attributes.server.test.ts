import { temporal as api } from '@temporalio/proto';
import { connectClient } from '../../src/temporal/connect';
import { lackingAttributes, registerSearchAttributes } from '../../src/temporal/search-attributes';
import { LISTS_AWAY, takeListsAway } from '../support/lists-away';
import { newNamespace, startTestTemporal, type TestTemporal } from '../support/temporal';

const { IndexedValueType } = api.api.enums.v1;

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterAll(() => temporal.close());

test('registers what is missing, on any server, and can be repeated', async () => {
  const { namespace } = await newNamespace({ bare: true });
  await expect(
    Promise.all([
      registerSearchAttributes(temporal.connection, namespace),
      registerSearchAttributes(temporal.nativeConnection, namespace),
    ]),
  ).resolves.toEqual([undefined, undefined]);
  await expect(registerSearchAttributes(temporal.connection, namespace)).resolves.toBeUndefined();
  const { customAttributes } = await temporal.connection.operatorService.listSearchAttributes({ namespace });
  expect(customAttributes).toMatchObject({
    Account: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    NeedsPerson: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
    CreditsSpent: IndexedValueType.INDEXED_VALUE_TYPE_INT,
    RunKind: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  });
});

test('a run can be started with what has just been registered', async () => {
  const config = await newNamespace({ bare: true });
  const { client, connection, close } = await connectClient({ config, env: {} });
  await registerSearchAttributes(connection, config.namespace);
  const searchAttributes = { Account: ['main'], NeedsPerson: [true], CreditsSpent: [1] };
  await client.workflow.start('anything', { workflowId: 'w', taskQueue: 'q', searchAttributes });
  await close();
});

test('where the server lists them to nobody, as managed Temporal does, it is asked whether it takes them', async () => {
  const { namespace } = await newNamespace({ bare: true });
  const { connection } = temporal;
  const refusal = Object.assign(new Error('7 PERMISSION_DENIED: no'), { code: 7, details: 'no', metadata: {} });
  const managed = {
    workflowService: connection.workflowService,
    operatorService: Object.assign(Object.create(connection.operatorService), {
      listSearchAttributes: () => Promise.reject(refusal),
    }),
  };
  await expect(registerSearchAttributes(managed, namespace)).resolves.toContain('until its settings have these');
  expect((await lackingAttributes(managed, namespace)).lacking).not.toEqual([]);
  await registerSearchAttributes(connection, namespace);
  await expect(registerSearchAttributes(managed, namespace)).resolves.toBeUndefined();
  expect(await lackingAttributes(managed, namespace)).toEqual({ listed: false, lacking: [] });
});

test('where the server lists all of them and its lists of runs are away, a worker begins with a warning', async () => {
  const { namespace } = await newNamespace();
  const { operatorService, workflowService } = temporal.connection;
  const away = { operatorService, workflowService: Object.create(workflowService) };
  takeListsAway(away as never);
  await expect(registerSearchAttributes(away, namespace)).resolves.toContain(LISTS_AWAY);
});

test('refuses a namespace where a name has another type', async () => {
  const { namespace } = await newNamespace({ bare: true });
  await temporal.connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: { Stage: IndexedValueType.INDEXED_VALUE_TYPE_INT },
  });
  await expect(registerSearchAttributes(temporal.connection, namespace)).rejects.toThrow(
    `The namespace '${namespace}' has a search attribute Stage that is not of type Keyword`,
  );
});
