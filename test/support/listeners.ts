/** What a command listens on, as the system sees it (Linux), and what a page of somebody else could send there. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';

export interface Listener {
  address: string;
  port: number;
}

/** A process and all that it started. */
export function tree(pid: number): number[] {
  const parents = readdirSync('/proc').flatMap((name): [number, number][] => {
    // pid (name) state ppid; a name may hold spaces and brackets.
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : '';
    const parent = /^\d+ \(.*\) \S (\d+) /s.exec(stat)?.[1];
    return parent === undefined ? [] : [[Number(name), Number(parent)]];
  });
  const below = (root: number): number[] => [
    root,
    ...parents.flatMap(([child, parent]) => (parent === root ? below(child) : [])),
  ];
  return below(pid);
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Where a process and all that it started accept connections. */
export function listenersOf(pid: number): Listener[] {
  const sockets = new Set(tree(pid).flatMap(socketsOf));
  return ['tcp', 'tcp6'].flatMap((table) =>
    read(`/proc/net/${table}`)
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
        const [hex = '', port = ''] = local.split(':');
        const isOurs = state === '0A' && sockets.has(`socket:[${inode}]`);
        return isOurs ? [{ address: addressOf(hex), port: Number.parseInt(port, 16) }] : [];
      }),
  );
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** The kernel writes 127.0.0.1 as 0100007F. Of IPv6 it is enough to know that it is that. */
const addressOf = (hex: string) =>
  hex.length > 8
    ? `v6:${hex}`
    : (hex.match(/../g) ?? [])
        .reverse()
        .map((byte) => Number.parseInt(byte, 16))
        .join('.');

/** A request as it goes over the wire; no library would write all of these. */
export interface RawRequest {
  method?: string;
  /** As in the first line. */
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body?: string;
}

/** How long one that speaks HTTP may take under load; and how long one is asked whether it does. */
export const ANSWER_MS = 60_000;
const PROBE_MS = 10_000;

/** What a listener answers within the time: the status, or 0 where that is none of HTTP/1, and the text. */
export function sendRaw(
  { address, port }: Listener,
  request: RawRequest,
  withinMs = PROBE_MS,
): Promise<{ status: number; text: string }> {
  const { method = 'GET', target, headers, body = '' } = request;
  const length = ['Content-Length', String(Buffer.byteLength(body))] as const;
  const lasts = headers.some(([name]) => name === 'Connection');
  const lines = [...headers, ...(body === '' ? [] : [length]), ...(lasts ? [] : [['Connection', 'close'] as const])];
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, address);
    const end = () => {
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 0), text });
    };
    // A gRPC server says nothing to HTTP/1, or its own protocol's farewell.
    socket.setTimeout(withinMs, end);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.once('close', end).once('error', end);
    socket.write(head + body);
  });
}

const EVIL = 'evil.example';

/** What a page can make a browser send, or a script beside it: each must be refused. */
export function attacksOn({ port }: Listener, target: string, method: string, body?: string): Map<string, RawRequest> {
  const own = `127.0.0.1:${port}`;
  const type = ['Content-Type', 'text/plain'] as const;
  const attack = (...headers: (readonly [string, string])[]): RawRequest => ({
    ...{ method, target, headers: [...headers, type] },
    ...(body !== undefined && { body }),
  });
  const elsewhere = [`http://${EVIL}`, 'http://localhost:1', `https://${own}`, `http://${own}.${EVIL}`, 'null'];
  const names = [EVIL, `${EVIL}:${port}`, `127.0.0.1.${EVIL}:${port}`, `localhost.${EVIL}:${port}`, ''];
  return new Map([
    ...names.map((name) => [`Host '${name}'`, attack(['Host', name])] as const),
    ...elsewhere.map((origin) => [`Origin '${origin}'`, attack(['Host', own], ['Origin', origin])] as const),
    ['rebound, with its own origin', attack(['Host', `${EVIL}:${port}`], ['Origin', `http://${EVIL}:${port}`])],
    ['two Hosts', attack(['Host', own], ['Host', EVIL])],
    ['two Hosts, the own one last', attack(['Host', EVIL], ['Host', own])],
    ['two Origins', attack(['Host', own], ['Origin', `http://${own}`], ['Origin', `http://${EVIL}`])],
    ['absolute form', { ...attack(['Host', own]), target: `http://${EVIL}${target}` }],
    ['absolute form, own', { ...attack(['Host', own]), target: `http://${own}${target}` }],
    ['Sec-Fetch-Site', attack(['Host', own], ['Sec-Fetch-Site', 'cross-site'], ['Sec-Fetch-Mode', 'no-cors'])],
    ['a page of another port', attack(['Host', own], ['Sec-Fetch-Site', 'same-site'], ['Sec-Fetch-Mode', 'cors'])],
    [
      'in a frame',
      attack(
        ['Host', own],
        ['Sec-Fetch-Site', 'cross-site'],
        ['Sec-Fetch-Mode', 'navigate'],
        ['Sec-Fetch-Dest', 'iframe'],
      ),
    ],
    [
      'WebSocket',
      {
        target,
        headers: [
          ['Host', own],
          ['Origin', `http://${EVIL}`],
          ['Connection', 'Upgrade'],
          ['Upgrade', 'websocket'],
          ['Sec-WebSocket-Version', '13'],
          ['Sec-WebSocket-Key', 'MDEyMzQ1Njc4OWFiY2RlZg=='],
        ],
      },
    ],
  ]);
}
