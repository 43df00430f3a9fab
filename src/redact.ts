/** What takes access tokens and personal data out of whatever is printed or logged (S4). */

const TOKEN = /aky_[A-Za-z0-9]{6,}/g;
const HIDDEN = '[redacted]';
/** Keys whose values are secrets or a prospect's personal data, in lower case without `-` and `_`. */
const HIDDEN_KEYS = new Set([
  'authorization',
  'token',
  'accesstoken',
  'plaintext',
  'clientemail',
  'clientphone',
  'clientname',
  'businessname',
  'email',
  'phone',
  'rawcontent',
]);

/** The text without access tokens. */
export const redactText = (text: string): string => text.replace(TOKEN, HIDDEN);

const isHidden = (key: string) => HIDDEN_KEYS.has(key.toLowerCase().replace(/[-_]/g, ''));

function redact(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    redactText(key),
    isHidden(key) && inner !== null ? HIDDEN : redact(inner),
  ]);
  return Object.fromEntries(entries);
}

/** A JSON log line without tokens and personal data. */
export function redactLine(line: string): string {
  try {
    return `${JSON.stringify(redact(JSON.parse(line)))}\n`;
  } catch {
    return redactText(line);
  }
}
