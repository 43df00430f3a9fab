/** Sends a notice to a configured address: one attempt, signed as Standard Webhooks say. Who calls repeats it. */
import { Webhook } from 'standardwebhooks';
import { request } from 'undici';
import { errorCode } from '../system';
import { BODIES, idOf, type Notice, type NoticeFormat, type NoticeKind } from './message';

/** Where notices go. */
export interface Receiver {
  /** https, except on this machine. */
  readonly url: string;
  readonly format: NoticeFormat;
  readonly kinds: readonly NoticeKind[];
  /** Signs what is sent, read at each sending; absent: not signed. */
  readonly secret?: () => string;
}

/** Webhook receivers have as long as the service gives its own: agent-api.md, "Limits". */
const TIMEOUT_MS = 10_000;

/** The receiver said no, or nothing. The message names no address: it may hold a secret (S4). */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered';
}

/** @param link where the run is shown */
export async function deliver(receiver: Receiver, notice: Notice, link: string | undefined): Promise<void> {
  const at = new Date();
  const body = BODIES[receiver.format](notice, link, at);
  const id = idOf(notice);
  const signature = receiver.secret && new Webhook(receiver.secret()).sign(id, at, body);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    ...(signature && { 'webhook-signature': signature }),
  };
  const reply = await request(receiver.url, {
    ...{ method: 'POST', headers, body },
    ...{ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) },
  }).catch((error: unknown) => {
    const code = errorCode(error) ?? 'no answer';
    throw new NotDelivered(`the receiver of notifications does not answer (${code})`);
  });
  await reply.body.dump();
  // A redirect is not followed: what was configured is what is meant.
  if (reply.statusCode < 200 || reply.statusCode > 299)
    throw new NotDelivered(`the receiver of notifications answers ${reply.statusCode}`);
}
