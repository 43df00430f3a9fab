import { z } from 'zod';
import { badRequest, found, ok } from '../refusal';
import { requireTier, WEBHOOK_TIER } from '../required-tier';
import type { BrowserHandlers, Service } from '../service';

type Names = 'list' | 'create' | 'delete' | 'deliveries' | 'replay';

/** agent-api.md, "Events": what the web app does with receivers and their delivery log. */
export function webhookHandlers({ webhooks, clock, random }: Service): Pick<BrowserHandlers, `webhooks.${Names}`> {
  return {
    'webhooks.list': ({ user }) => ok({ webhooks: webhooks.receivers.all(user.id) }),
    'webhooks.create': ({ user, body }) => {
      requireTier(user, WEBHOOK_TIER);
      const parsed = z.object({ url: z.url() }).safeParse(body);
      if (!parsed.success) throw badRequest('url must be an address');
      if (new URL(parsed.data.url).protocol !== 'https:')
        throw badRequest('The address must be HTTPS', 'WEBHOOK_HTTPS_REQUIRED');
      const webhook = { id: random.uuid(), userId: user.id, url: parsed.data.url, createdAt: clock.iso() };
      return ok(webhooks.receivers.add(webhook), 201);
    },
    'webhooks.delete': ({ user, id }) => {
      if (!webhooks.receivers.remove(user.id, id)) found(undefined, 'Webhook');
      return ok({ success: true });
    },
    'webhooks.deliveries': ({ user }) => ok({ deliveries: webhooks.deliveries.all(user.id) }),
    'webhooks.replay': ({ user, id }) => {
      const delivery = found(webhooks.deliveries.get(user.id, id), 'Delivery');
      webhooks.replay(delivery);
      return ok({ queued: true }, 202);
    },
  };
}
