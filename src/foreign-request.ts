/** Which requests a server on this machine takes: none that a web page of somebody else made. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Where a server listens. */
export interface Listening {
  /** Its address, as it was bound. */
  host: string;
  /** The port that a request has to name. @default any, since something of ours on this machine may stand before it */
  port?: number;
}

/**
 * Why a request is not for us, as a sentence; undefined when it may be. Whoever listens on loopback is reached by every
 * page that the browser on this machine shows:
 *
 * - under a name of the page's own that was made to point here (DNS rebinding): `Host` is not ours then;
 * - by posting a form or `text/plain`, which a browser sends without asking: `Origin` or `Sec-Fetch-Site` says so.
 *
 * A link in a mail or a chat, opened in a tab of its own, is taken: a GET changes nothing, and the page that has the link
 * cannot read what it shows. In a frame it is not.
 */
export function foreignRequest(request: IncomingMessage, own: Listening): string | undefined {
  const { method = 'GET', url = '', headers, headersDistinct } = request;
  // A proxy's form of address, `http://other/path`, would outrank the header that is checked here.
  if (!url.startsWith('/')) return 'The address of a request has to begin with a slash';
  const [host = '', ...more] = headersDistinct.host ?? [];
  if (more.length > 0 || !isOwnHost(host.toLowerCase(), own))
    return `The header Host has to name this server: ${LOOPBACK.join(', ')}${own.port === undefined ? '' : `, port ${own.port}`}`;
  const origins = headersDistinct.origin ?? [];
  if (origins.some((origin) => origin.toLowerCase() !== `http://${host.toLowerCase()}`))
    return 'Pages of other origins are not answered';
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode, 'sec-fetch-dest': frame } = headers;
  const isLink = ['GET', 'HEAD'].includes(method) && mode === 'navigate' && frame === 'document';
  if (site !== 'same-origin' && site !== 'none' && !isLink) return 'Pages of other sites are not answered';
  return undefined;
}

/**
 * Behind an address that is not loopback there are port mappings and names that somebody gave on purpose, such as those of
 * containers. A page can rebind neither an address nor a name without a dot: it owns no such name.
 */
function isOwnHost(host: string, { port, host: bound }: Listening): boolean {
  const [, name = '', named] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? [];
  if (port !== undefined && Number(named) !== port) return false;
  if (LOOPBACK.includes(name)) return true;
  return !isLoopback(bound) && (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || /^[a-z0-9_-]+$/.test(name));
}

const isLoopback = (address: string) => /^127\.|^::1$|^localhost$/i.test(address);
