/** Where notifications go. */
import { z } from 'zod';
import { isLoopback } from '../agent-api/base-url';
import { BODIES, NOTICE_KINDS, type NoticeFormat } from '../notify/message';
import type { Receiver } from '../notify/receiver';
import { sayable } from '../redact';
import { VariableName } from './variable-name';

const ADDRESS = 'an address that begins with https:// (http:// only on this machine)';
const url = z.string().refine(isAllowed, ADDRESS).meta({ allowed: ADDRESS });

/** One receiver: who is told when a person is needed, a hold begins or ends, a scheduled run fails, a batch ends. */
export const NotifyFile = z.strictObject({
  url: url
    .optional()
    .describe("An address that takes POST requests. Where it holds a secret, as Slack's do, use urlEnv."),
  urlEnv: VariableName.optional().describe('Name of the environment variable that holds the address.'),
  format: z
    .enum(Object.keys(BODIES) as [NoticeFormat, ...NoticeFormat[]])
    .default('standard')
    .describe(
      '`standard`: JSON as Standard Webhooks recommend. `slack`: `{"text": …}`, as Slack and those like it take.',
    ),
  secretEnv: VariableName.optional().describe(
    'Name of the environment variable that holds the signing secret (`whsec_…`). Default: nothing is signed.',
  ),
  kinds: z
    .array(z.enum(NOTICE_KINDS))
    .min(1)
    .default([...NOTICE_KINDS])
    .describe('What is told. Default: everything.'),
});
type NotifyFile = z.output<typeof NotifyFile>;

type Env = Readonly<Record<string, string | undefined>>;

function isAllowed(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  const allowed = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return allowed && username === '' && password === '';
}

/** The receiver, or what is wrong with it in sentences that quote neither address nor secret (S4). */
export function toReceiver(file: NotifyFile, env: Env): { receiver: Receiver } | { problems: string[] } {
  const { format, kinds, secretEnv, urlEnv } = file;
  const address = urlEnv === undefined ? file.url : env[urlEnv];
  const secret = secretEnv === undefined ? undefined : env[secretEnv];
  const problems = [
    ...((file.url === undefined) === (urlEnv === undefined)
      ? ['notify: name the address by either url or urlEnv']
      : []),
    ...(urlEnv !== undefined && address === undefined
      ? [`notify.urlEnv: there is no variable ${sayable(urlEnv, env)}`]
      : []),
    ...(urlEnv !== undefined && address !== undefined && !isAllowed(address)
      ? [`notify.urlEnv: ${urlEnv} holds no address that begins with https://`]
      : []),
    ...(secretEnv !== undefined && secret === undefined
      ? [`notify.secretEnv: there is no variable ${sayable(secretEnv, env)}`]
      : []),
    ...(secretEnv !== undefined && secret !== undefined && !/^(whsec_)?[A-Za-z0-9+/]{16,}={0,2}$/.test(secret)
      ? [`notify.secretEnv: ${secretEnv} holds no signing secret (whsec_ and base64)`]
      : []),
  ];
  if (problems.length > 0 || address === undefined) return { problems };
  return { receiver: { url: address, format, kinds, ...(secret !== undefined && { secret: () => secret }) } };
}
