/** A base address that was checked: where requests go and what stands before every path. */
export interface BaseUrl {
  /** Scheme, host and port, for example `https://api.example.com`. */
  readonly origin: string;
  /** Path prefix without a slash at the end; empty when there is none. */
  readonly prefix: string;
  /** Is it this machine? Only then plain http, a sped-up clock and shortened time limits are allowed. */
  readonly loopback: boolean;
}

/** Is this the host name of a URL on this machine: 127.0.0.0/8, ::1 or localhost? */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);

/**
 * Checks a base address. A token must not travel in the clear, so https is required everywhere but on this machine.
 * @throws Error with one sentence for a person; it quotes no credentials.
 */
export function parseBaseUrl(text: string): BaseUrl {
  if (!URL.canParse(text))
    throw new Error('the base address is not a URL; expected for example https://api.example.com');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw new Error('the base address must not hold a user name or a password');
  if (url.search !== '' || url.hash !== '') throw new Error('the base address must not have a query or a fragment');
  const loopback = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback))
    throw new Error(
      `the base address must start with https:// (plain http is for this machine only), not ${url.protocol}`,
    );
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, ''), loopback };
}
