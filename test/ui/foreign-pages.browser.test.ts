/** A page of somebody else, in the browser in which the Web UI is open: what it could do, a real Chromium tries. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { type OwnServer, startServer } from '../../src/dev-server/server';
import { type Connected, connectClient } from '../../src/temporal/connect';
import { launchChromium } from '../support/chromium';

let server: OwnServer;
let temporal: Connected;
let evil: Server;
let browser: Browser;
let page: Page;
let ui: string;
beforeAll(async () => {
  evil = createServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<body>Hello'));
  evil.listen(0, '127.0.0.1');
  // Its owner lets the name point to this machine: a name server would do what this rule does.
  const args = ['--host-resolver-rules=MAP evil.example 127.0.0.1'];
  [server, browser] = await Promise.all([startServer({ ui: true }), launchChromium({ args }), once(evil, 'listening')]);
  temporal = await connectClient({ config: server.config });
  ui = server.uiUrl ?? '';
});
afterAll(async () => {
  await browser?.close();
  await temporal?.close();
  evil?.closeAllConnections();
  evil?.close();
  await server?.stop();
});
beforeEach(async () => {
  // The person has the Web UI open, with its cookie.
  const context = await browser.newContext();
  page = await context.newPage();
  await page.goto(ui);
  await page.getByText('Workflows').first().waitFor();
  expect((await context.cookies(ui)).map(({ name }) => name)).toContain('_csrf');
});
afterEach(() => page.context().close());

const START = '/api/v1/namespaces/default/workflows/from-a-page';
const WORKFLOW = JSON.stringify({ workflowType: { name: 'leadPipeline' }, taskQueue: { name: 'audit-runner' } });

/** What a request from the page that is shown comes to. */
const asks = (url: string, init: object): Promise<string> =>
  page.evaluate<string, { url: string; init: object }>(
    ({ url: to, init: how }) =>
      fetch(to, how).then(
        (answer) => `${answer.status}`,
        () => 'unreadable',
      ),
    { url, init },
  );

test.each(['its own site', 'a name that was made to point here', 'another port of this machine'])(
  'from %s',
  async (from) => {
    const { port } = evil.address() as AddressInfo;
    const { port: uiPort } = new URL(ui);
    if (from === 'its own site') await page.goto(`http://evil.example:${port}/`);
    else if (from === 'another port of this machine') await page.goto(`http://127.0.0.1:${port}/`);
    else expect((await page.goto(`http://evil.example:${uiPort}/`))?.status()).toBe(403);
    const target = from === 'a name that was made to point here' ? START : `${ui}${START}`;
    const refused = /unreadable|403|^0$/;
    expect(await asks(target.replace(START, '/api/v1/namespaces'), {})).toMatch(refused);
    for (const init of [
      { headers: { 'Content-Type': 'text/plain' } },
      { headers: { 'Content-Type': 'text/plain' }, mode: 'no-cors' as const, credentials: 'include' as const },
      { headers: { 'Content-Type': 'application/json' } },
      // With it the Web UI asks for no token of its cookie.
      { headers: { 'Content-Type': 'application/json', Authorization: 'x' } },
    ])
      expect(await asks(target, { method: 'POST', body: WORKFLOW, ...init })).toMatch(refused);
    expect((await temporal.client.workflow.count()).count).toBe(0);
  },
);

test('it cannot put the Web UI in a frame; its link opens it', async () => {
  await page.goto(`http://evil.example:${(evil.address() as AddressInfo).port}/`);
  await page.setContent(`<iframe src="${ui}"></iframe><a href="${ui}">runs</a>`);
  const frame = await page.waitForSelector('iframe').then((element) => element.contentFrame());
  await frame?.waitForLoadState();
  expect(await frame?.content()).not.toContain('Workflows');
  await page.getByRole('link', { name: 'runs' }).click();
  await page.getByText('Workflows').first().waitFor();
});
