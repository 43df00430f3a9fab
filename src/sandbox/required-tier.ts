import { TIERS, type Tier } from './options';
import { Refusal } from './refusal';
import type { User } from './rows';

/** @throws 403 with the tier body: agent-api.md, "Authentication" 14. */
export function requireTier(user: User, requiredTier: Tier): void {
  if (TIERS.indexOf(user.tier) >= TIERS.indexOf(requiredTier)) return;
  throw new Refusal(403, `This needs the plan ${requiredTier}`, {
    currentTier: user.tier,
    requiredTier,
    upgradeUrl: 'https://app.example.com/settings/billing',
  });
}

/** The lowest plan that may create projects, convert leads and run audits. */
export const AUDIT_TIER: Tier = 'professional';
/** agent-api.md, "Events" 2. */
export const WEBHOOK_TIER: Tier = 'team';
