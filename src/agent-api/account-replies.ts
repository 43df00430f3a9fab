/** Readers of the account's replies, whose fields the document does not show. */
import { asText, at, describeKeys, fieldOf, flat, type Layer, layers, namesOf, plainKey } from './shape';
import { type Reader, type Undocumented, UnreadableBody } from './undocumented';

/** Names of envelopes. What stands under others is not taken for the account's: a limit has a `remaining`, too. */
const ENVELOPES = namesOf([
  ...['embedded', 'data', 'result', 'response', 'payload', 'item', 'record', 'attributes', '0'],
  ...['user', 'currentUser', 'account', 'profile', 'me', 'credits', 'tier', 'subscription', 'plan'],
]);
const accountLayers = (body: unknown): Layer[] =>
  [...layers(body)]
    .filter(({ path }) => path.every((key) => ENVELOPES.has(plainKey(key))))
    .map(({ value, path }) => ({ value: flat(value), path }));

/**
 * Finds a value under the configured path, or else under the first of the usual names in any usual envelope.
 * @param others further names that will do in an envelope
 */
function find<T>(
  body: unknown,
  path: string | undefined,
  names: readonly string[],
  as: (v: unknown) => T | undefined,
  others: (layer: Layer) => readonly string[] = () => [],
): T | undefined {
  if (path !== undefined) return as(at(body, path));
  for (const layer of accountLayers(body))
    for (const name of [...names, ...others(layer)]) {
      const value = as(fieldOf(layer.value, name));
      if (value !== undefined) return value;
    }
  return undefined;
}

const asId = (v: unknown): string | undefined => (Number.isSafeInteger(v) ? String(v) : asText(v));

/** A decimal number, or one whose thousands are set apart by a sign that cannot be a decimal one. */
const DECIMAL = /^-?\d+(\.\d+)?$/;
const THOUSANDS = [
  { form: /^-?\d{1,3}((,\d{3})+\.\d+|(,\d{3}){2,})$/, separator: /,/g },
  { form: /^-?\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,})$/, separator: /\./g },
  { form: /^-?\d{1,3}([ '_\u00a0\u202f]\d{3})+([.,]\d+)?$/, separator: /[ '_\u00a0\u202f]/g },
];

/** A number, also as text. `25,000` may be either of two numbers and is none. */
function asNumber(v: unknown): number | undefined {
  if (typeof v === 'number') return Number.isFinite(v) ? v : undefined;
  if (typeof v !== 'string') return undefined;
  const text = v.trim();
  if (DECIMAL.test(text)) return Number(text);
  const thousands = THOUSANDS.find(({ form }) => form.test(text));
  return thousands && Number(text.replace(thousands.separator, '').replace(',', '.'));
}

const USER_IDS = ['id', 'userId', 'uid', 'uuid', 'sub'];
const called = (...names: string[]) => {
  const plain = namesOf(names);
  return ({ path }: Layer) => plain.has(plainKey(path.findLast((key) => !/^\d+$/.test(key)) ?? ''));
};
const shows = (...names: string[]) => {
  return ({ value }: Layer) => names.some((name) => fieldOf(flat(value), name) !== undefined);
};
/** What tells a user from an envelope or an organisation that has an ID of its own, the surest signs first. */
const SIGNS_OF_A_USER = [
  called('user', 'currentUser', 'me', 'viewer'),
  called('account', 'profile'),
  shows('email', 'fullName', 'firstName', 'displayName', 'username'),
  shows('name'),
];

/** GET /api/user/current → the ID of the user that the token belongs to. */
export const userId: Reader<{ userId: string }> = (body, { account }) => {
  const setting = account.userId ?? undefined;
  // S1: the ID of a session or of a request would make another ledger each time.
  const all = [...layers(body)];
  const users = SIGNS_OF_A_USER.map((isUser) => all.filter(isUser)).find(({ length }) => length > 0) ?? [];
  const within = setting === undefined && users.length > 0 ? users.map(({ value }) => flat(value)) : body;
  const value = Array.isArray(within)
    ? within.map((layer) => find(layer, undefined, USER_IDS, asId)).find((id) => id !== undefined)
    : find(within, setting, USER_IDS, asId);
  if (value === undefined)
    throw new UnreadableBody(
      `no user ID in the reply of GET /api/user/current (${describeKeys(body)}): name its field with 'undocumented.account.userId', or set that to null where there is none`,
    );
  return { userId: value };
};

/** GET /api/user/tier → the tier's name. */
export const tier: Reader<{ tier: string }> = (body, { account }) => {
  const value = find(body, account.tier, ['tier', 'currentTier', 'name', 'plan', 'tierName', 'id'], asText);
  if (value === undefined)
    throw new UnreadableBody(
      `no tier in the reply of GET /api/user/tier (${describeKeys(body)}): name its field with 'undocumented.account.tier'`,
    );
  return { tier: value };
};

const plainName = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** Whether a tier may create projects and convert leads; undefined where its name says nothing. */
export function auditCapable(name: string, { account }: Undocumented): boolean | undefined {
  const isIn = (tiers: readonly string[]) => tiers.some((one) => plainName(one) === plainName(name));
  return isIn(account.auditTiers) ? true : isIn(account.lowTiers) ? false : undefined;
}

/**
 * S3: the surest first. `credits`, which may be what a period allows, counts only where none of these stands beside it; `total`,
 * which more likely is that, never.
 */
const BALANCE = [
  'balance',
  'remaining',
  'available',
  'creditsRemaining',
  'creditBalance',
  'currentBalance',
  'remainingCredits',
  'availableCredits',
  'creditsAvailable',
  'creditsBalance',
];
/** What a plan has it allows, and of what stands beside what was used some is gone. */
const allowance = ({ value, path }: Layer): readonly string[] => {
  const isPlan = path.some((key) => ['plan', 'subscription'].includes(plainKey(key)));
  return isPlan || Object.keys(value).some((key) => /used|usage|spent|consumed/.test(plainKey(key))) ? [] : ['credits'];
};

/** GET /api/user/credits → the balance. */
export const balance: Reader<{ balance: number }> = (body, { account }) => {
  const value = asNumber(body) ?? find(body, account.balance, BALANCE, asNumber, allowance);
  if (value === undefined)
    throw new UnreadableBody(
      `no balance in the reply of GET /api/user/credits (${describeKeys(body)}): name its field with 'undocumented.account.balance'`,
    );
  return { balance: value };
};
