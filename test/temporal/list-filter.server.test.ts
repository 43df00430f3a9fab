/** A value in a filter of a real server's list is that value, whatever it holds. */
import { rootMessage } from '../../src/root-cause';
import { quoted } from '../../src/text/list-filter';
import { startTestTemporal, type TestTemporal } from '../support/temporal';
import { until } from '../support/until';

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await startTestTemporal();
});
afterAll(() => temporal?.close());

/** Values that a server reads as they are. */
const READ = ["x' OR WorkflowId != 'x", 'a`b', "x' /* */ ; DROP", '%', '_', 'Zoë 漢字 🙂', '\u202egpj', 'AND', '{{x}}'];
/** Those that it misreads, without taking them for anything but a value. */
const MISREAD = ["x\\' OR WorkflowId != 'x", "'", "' OR ''='", '\\', "\\'", 'x" OR WorkflowId != "x', 'a\nb\tc'];
/** On PostgreSQL a server takes it for a parameter of its own query, and says that there is none. */
const REFUSED = '?';

test('a filter with any of these finds that run or none, and never another', async () => {
  const { client } = temporal;
  const all = [...READ, ...MISREAD, REFUSED];
  for (const workflowId of all)
    await client.workflow.start('nobodyRunsIt', { workflowId, taskQueue: 'nobody', args: [] });
  await until(async () => (await client.workflow.count("WorkflowType = 'nobodyRunsIt'")).count === all.length);
  const foundBy = async (query: string) => {
    const found: string[] = [];
    try {
      for await (const run of client.workflow.list({ query })) found.push(run.workflowId);
    } catch (error) {
      if (!(query.includes(REFUSED) && rootMessage(error).includes('could not determine data type'))) throw error;
    }
    return found;
  };
  for (const value of READ) expect(await foundBy(`WorkflowId = ${quoted(value)}`)).toEqual([value]);
  for (const value of [...MISREAD, REFUSED])
    expect((await foundBy(`WorkflowId = ${quoted(value)}`)).filter((found) => found !== value)).toEqual([]);
  // Where one ended the quotation, the rest of the filter would be read otherwise.
  for (const value of all)
    expect(await foundBy(`WorkflowId IN (${quoted(value)}, ${quoted('%')}) AND RunId = ${quoted('none')}`)).toEqual([]);
});
