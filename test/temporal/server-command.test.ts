/** Commands of Temporal's CLI reach the server that they are about, whoever pastes them. */
import { Client, Connection } from '@temporalio/client';
import { serverCommand } from '../../src/temporal/server-command';

test.each([
  ['127.0.0.1:7233', 'default', ''],
  ['localhost:7233', 'default', ''],
  ['127.0.0.1:41234', 'default', ' --address 127.0.0.1:41234'],
  ['[::1]:41234', 'leads', ' --address [::1]:41234 --namespace leads'],
  ['temporal.example:7233', 'leads.a1b2c', ' --namespace leads.a1b2c'],
  ['temporal.example:7234', "x'; curl evil.example", ' --namespace <namespace>'],
])('%s, %s', (address, namespace, shown) => {
  const client = new Client({ connection: Connection.lazy({ address }), namespace });
  expect(serverCommand(client, 'workflow list')).toBe(`temporal workflow list${shown}`);
});
