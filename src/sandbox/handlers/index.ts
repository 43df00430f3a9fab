import type { AgentRouteName, BrowserRouteName } from '../router';
import type { Handler, Service } from '../service';
import { accountHandlers } from './account';
import { apiKeyHandlers } from './api-keys';
import { auditHandlers } from './audits';
import { captureHandlers } from './captures';
import { configHandlers } from './configs';
import { leadHandlers } from './leads';
import { linkHandlers } from './links';
import { nucleusHandlers } from './nucleus';
import { projectHandlers } from './projects';
import { webhookHandlers } from './webhooks';

/** A handler for every route of the table and of the browser side; a missing one is a compile error. */
export const allHandlers = (service: Service): Record<AgentRouteName | BrowserRouteName, Handler> => ({
  ...accountHandlers(service),
  ...projectHandlers(service),
  ...auditHandlers(service),
  ...leadHandlers(service),
  ...linkHandlers(service),
  ...configHandlers(service),
  ...captureHandlers(service),
  ...nucleusHandlers(service),
  ...apiKeyHandlers(service),
  ...webhookHandlers(service),
});
