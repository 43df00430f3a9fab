/** The sandbox's ports, as a web page that the browser on this machine shows can reach them. */
import { attacksOn, sendRaw } from '../support/listeners';
import { call, sandboxOf } from './helpers';

const at = (url: string) => ({ address: '127.0.0.1', port: Number(new URL(url).port) });

test('no page of another origin or under another name is answered, on either port', async () => {
  const sandbox = await sandboxOf({ leads: 3 });
  const before = sandbox.control.credits();
  const through: string[] = [];
  for (const [url, target, body] of [
    [sandbox.controlUrl, '/setCredits', '{"credits": 5}'],
    [sandbox.controlUrl, '/clearFaults', undefined],
    [sandbox.baseUrl, '/api/projects', '{"clientName": "x"}'],
  ] as const)
    for (const method of ['GET', 'POST'])
      for (const [name, request] of attacksOn(at(url), target, method, body)) {
        // As a page that was rebound to this port could: it knows the token of a sandbox with the usual seed.
        const headers = [...request.headers, ['Authorization', `Bearer ${sandbox.token}`] as const];
        const { status } = await sendRaw(at(url), { ...request, headers });
        if (!(status >= 400 && status < 500)) through.push(`${method} ${target}, ${name}: ${status}`);
      }
  expect(through).toEqual([]);
  expect(sandbox.control.credits()).toEqual(before);
  expect(sandbox.control.stats().requests.total).toBe(0);
});

test.each([
  undefined,
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonx',
])(
  'a POST to the control surface as %s is refused, with and without a body, also from no page at all',
  async (type) => {
    const sandbox = await sandboxOf();
    sandbox.control.addFault({ route: 'account.user', fault: 'status', status: 503 });
    for (const [target, body] of [
      ['/setCredits', '{"credits": 5}'],
      ['/clearFaults', undefined],
    ] as const) {
      const headers = Object.entries({ Host: new URL(sandbox.controlUrl).host, ...(type && { 'Content-Type': type }) });
      expect(
        await sendRaw(at(sandbox.controlUrl), { method: 'POST', target, headers, ...(body && { body }) }),
      ).toMatchObject({
        status: 400,
      });
    }
    expect(sandbox.control.credits()).not.toEqual({ credits: 5 });
    expect((await call(sandbox, 'GET', '/api/user/current')).status).toBe(503);
  },
);

test('a GET looks and changes nothing', async () => {
  const { controlUrl, control } = await sandboxOf();
  control.addFault({ route: 'account.user', fault: 'status', status: 503 });
  for (const reading of ['stats', 'credits', 'leads', 'projects', 'captures'])
    expect([reading, (await fetch(`${controlUrl}/${reading}`)).status]).toEqual([reading, 200]);
  const changing = Object.entries(control).filter(([, { isReading }]) => !isReading);
  for (const [name] of changing) expect([name, (await fetch(`${controlUrl}/${name}`)).status]).toEqual([name, 405]);
  expect(control.stats().faults).toMatchObject({});
});

test('where it is to be reached from other machines, addresses and the names of containers are taken', async () => {
  const { baseUrl } = await sandboxOf({ host: '0.0.0.0' });
  const { port } = at(baseUrl);
  const ask = (host: string) =>
    sendRaw({ address: '127.0.0.1', port }, { target: '/api/user/current', headers: [['Host', host]] });
  for (const host of ['sandbox:8080', '10.0.0.7:8080', '192.168.1.2', '[fd00::1]:80', `localhost:${port}`])
    expect([host, (await ask(host)).status]).toEqual([host, 401]);
  for (const host of ['evil.example', `evil.example:${port}`, '10.0.0.7.evil.example'])
    expect([host, (await ask(host)).status]).toEqual([host, 403]);
});
