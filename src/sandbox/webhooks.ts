import { request } from 'node:https';
import { performance } from 'node:perf_hooks';
import type { Clock } from './clock';
import type { Settings } from './options';
import type { Random } from './random';
import type { Owned } from './rows';
import { Table } from './table';

/** agent-api.md, "Events" 2 and "Limits": the receiver's time, and how often delivery is attempted. */
const ANSWER_MS = 10_000;
const ATTEMPTS = 3;

/** A registered receiver. */
export interface Webhook extends Owned {
  readonly url: string;
  readonly createdAt: string;
}

/** An entry of the delivery log. */
export interface Delivery extends Owned {
  readonly webhookId: string;
  readonly event: string;
  readonly payload: string;
  readonly createdAt: string;
  status: 'pending' | 'delivered' | 'failed';
  /** `WEBHOOK_DELIVERY_FAILED` after the last attempt. */
  code: 'WEBHOOK_DELIVERY_FAILED' | null;
  attempts: { at: string; ms: number; status: number | null; code: 'WEBHOOK_TIMEOUT' | null }[];
}

/** Sends events to receivers and keeps the delivery log. Kinds and payload of events are not shown in the document. */
export class Webhooks {
  readonly receivers = new Table<Webhook>();
  readonly deliveries = new Table<Delivery>();
  private readonly closing = new AbortController();

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Starts the delivery of an event to every receiver of a user. */
  emit(userId: string, event: string, data: object): void {
    const createdAt = this.clock.iso();
    for (const { id: webhookId } of this.receivers.all(userId)) {
      const id = this.random.uuid();
      const payload = JSON.stringify({ id, event, createdAt, data });
      const delivery = { id, userId, webhookId, event, payload, createdAt, attempts: [] };
      this.deliver(this.deliveries.add({ ...delivery, status: 'pending', code: null }));
    }
  }

  /** Delivers once more, with three fresh attempts. */
  replay(delivery: Delivery): void {
    this.deliver(delivery);
  }

  close(): void {
    this.closing.abort();
  }

  private deliver(delivery: Delivery): void {
    const url = this.receivers.get(delivery.userId, delivery.webhookId)?.url;
    if (url === undefined || this.closing.signal.aborted) return;
    delivery.status = 'pending';
    delivery.code = null;
    const attempt = (number: number) => {
      const at = this.clock.iso();
      const start = performance.now();
      this.post(url, delivery.payload, (status, timedOut) => {
        if (this.closing.signal.aborted) return;
        const ms = Math.round(performance.now() - start);
        delivery.attempts.push({ at, ms, status, code: timedOut ? 'WEBHOOK_TIMEOUT' : null });
        if (status !== null && status >= 200 && status < 300) delivery.status = 'delivered';
        else if (number < ATTEMPTS) this.clock.after(this.settings.durations.webhookRetry, () => attempt(number + 1));
        else {
          delivery.status = 'failed';
          delivery.code = 'WEBHOOK_DELIVERY_FAILED';
        }
      });
    };
    attempt(1);
  }

  /** One attempt; `done` is called once, without a status when there was no answer. */
  private post(url: string, payload: string, done: (status: number | null, timedOut: boolean) => void): void {
    const { ca, insecure } = this.settings.webhookTls;
    const limit = AbortSignal.timeout(Math.ceil(this.clock.scaled(ANSWER_MS)));
    let settled = false;
    const settle = (status: number | null) => {
      if (settled) return;
      settled = true;
      done(status, status === null && limit.aborted);
    };
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
      rejectUnauthorized: !insecure,
      ...(ca !== undefined && { ca }),
      signal: AbortSignal.any([limit, this.closing.signal]),
    });
    outgoing.on('response', (response) => {
      settle(response.statusCode ?? null);
      response.on('error', () => outgoing.destroy()).resume();
    });
    outgoing.on('error', () => settle(null));
    outgoing.end(payload);
  }
}
