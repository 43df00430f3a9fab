/** A front of the service whose replies quote what nobody may repeat: the caller's token, and persons (S4). */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type RouteName, routes } from '../../../src/agent-api/routes';

/** What a quoting reply looks like. Status 200 as JSON is the true reply, with quotes beside what it says. */
export const STATUSES = [200, 400, 401, 403, 404, 409, 429, 500, 'garbage'] as const;
export type QuotedStatus = (typeof STATUSES)[number];
const FORMS = ['json', 'html'] as const;
type Form = (typeof FORMS)[number];

/** A person whom no lead of the sandbox describes. */
const PERSON = {
  clientName: 'Zebulon Quirk',
  clientEmail: 'zeb.quirk@private.example',
  clientPhone: '+49 171 5550 199',
};
export const PERSONAL = new Map(
  ['Zebulon', 'Quirk', 'private.example', '5550 199', '1715550199'].map((text) => [text, `'${text}' of a reply`]),
);

export interface Quoting {
  readonly baseUrl: string;
  /** From now on the first call of each route is answered by this status as JSON, the second one as HTML. */
  begin(status: QuotedStatus): void;
  /** Replies that quoted since then, as `route form`. */
  quoted(): string[];
  /** Nothing quotes any more. */
  end(): void;
  close(): Promise<void>;
}

const PATTERNS = Object.entries(routes).map(([name, { method, path }]) => ({
  name: name as RouteName,
  method,
  // Of the templates that fit, the one with the fewest placeholders is meant: /captures/note is no capture.
  placeholders: path.split('{').length,
  pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
}));

const routeOf = (method: string, path: string): RouteName | undefined =>
  PATTERNS.filter((one) => one.method === method && one.pattern.test(path)).sort(
    (a, b) => a.placeholders - b.placeholders,
  )[0]?.name;

/** @param target base address of the sandbox */
export async function startQuoting(target: string): Promise<Quoting> {
  let status: QuotedStatus | undefined;
  let quoted = new Set<string>();
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(incoming.url ?? '/', target);
    const body = await buffer(incoming);
    const form = formOf(routeOf(incoming.method ?? '', pathname));
    const token = incoming.headers.authorization?.replace('Bearer ', '') ?? '';
    if (form !== undefined && status !== undefined && !(status === 200 && form === 'json'))
      return write(response, status, form, token);
    const reply = await forward(target, incoming, body);
    const quotes = form === undefined ? undefined : beside(reply.body, token);
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(quotes ?? reply.body);
  }

  /** How this call of a route is quoted, if it is. */
  function formOf(route: RouteName | undefined): Form | undefined {
    if (route === undefined || status === undefined) return undefined;
    const form = FORMS.find((one) => !quoted.has(`${route} ${one}`));
    if (form !== undefined) quoted.add(`${route} ${form}`);
    return form;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin(wanted) {
      status = wanted;
      quoted = new Set();
    },
    quoted: () => [...quoted].sort(),
    end() {
      status = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const sentence = (token: string) =>
  `Bearer ${token} of ${PERSON.clientName} <${PERSON.clientEmail}>, ${PERSON.clientPhone}, is not welcome`;

/** All places in which a service may quote: known and unknown fields, and names of fields. */
const quotes = (token: string) => ({
  ...PERSON,
  ...{
    message: sentence(token),
    details: [{ token, ...PERSON }],
    [token]: PERSON.clientName,
    [PERSON.clientEmail]: token,
  },
});

/** The reply with quotes beside what it says, in each of its records. */
function beside(body: Buffer, token: string): string {
  const marked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(marked);
    if (typeof value !== 'object' || value === null) return value;
    const inner = Object.entries(value).map(([key, one]) => [key, marked(one)]);
    return { ...quotes(token), ...Object.fromEntries(inner) };
  };
  return JSON.stringify(marked(JSON.parse(body.toString())));
}

function write(response: ServerResponse, status: QuotedStatus, form: Form, token: string): void {
  const json = JSON.stringify({ success: false, error: sentence(token), code: `${token}_REFUSED`, ...quotes(token) });
  const html = `<html><head><title>${sentence(token)}</title></head><body>${json}</body></html>`;
  const whole = form === 'json' ? json : html;
  response.writeHead(status === 'garbage' ? 200 : status, {
    'content-type': form === 'json' ? 'application/json' : 'text/html',
    // A reason phrase and a header of the service's own are read by some clients.
    'x-request-id': token,
    ...(status === 429 && { 'retry-after': '0' }),
  });
  response.end(status === 'garbage' ? whole.slice(0, -20) : whole);
}

async function forward(target: string, { method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer) {
  const reply = await fetch(new URL(url, target), {
    method,
    headers: {
      ...(headers.authorization !== undefined && { authorization: headers.authorization }),
      ...(headers['content-type'] !== undefined && { 'content-type': headers['content-type'] }),
    },
    ...(body.length > 0 && { body }),
  });
  return { status: reply.status, body: Buffer.from(await reply.arrayBuffer()) };
}
