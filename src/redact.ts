/** What takes access tokens and personal data out of whatever is printed or logged (S4). */

/** A JSON Web Token: three parts, of which the first is an object. Bounded, so that no long text takes long to search. */
const JWT = 'eyJ[\\w-]{8,500}\\.[\\w-]+\\.[\\w-]*';
/** What looks like an access token, of the service or of others, as the source of a regular expression. */
export const TOKEN_FORM = `aky_[A-Za-z0-9]{6,}|${JWT}`;
const TOKEN = new RegExp(TOKEN_FORM, 'g');
const HIDDEN = '[redacted]';
/** Keys whose values are secrets or a prospect's personal data, in lower case without `-` and `_`. */
const HIDDEN_KEYS = new Set([
  'authorization',
  'token',
  'accesstoken',
  'plaintext',
  'tasktoken',
  'clientemail',
  'clientphone',
  'clientname',
  'businessname',
  'email',
  'phone',
  'rawcontent',
]);

/** Whether a text that others chose holds what looks like an access token. */
export const hasToken = (text: string): boolean => text.includes('aky_') || new RegExp(JWT).test(text);

/** The text without access tokens. */
export const redactText = (text: string): string => text.replace(TOKEN, HIDDEN);

/** Variables of the environment whose values are secrets, not the names of files that hold them. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|AUTH|META/;
const FILE_NAME = /_(FILE|PATH)$/;
/** Shorter ones would hide words that only look like them. */
const SECRET_LENGTH = 8;

/** The text without access tokens and without the secrets of this environment, for messages that others have written. */
export function redactSecrets(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const secrets = Object.entries(env).flatMap(([name, value = '']) =>
    SECRET_NAME.test(name) && !FILE_NAME.test(name) && value.length >= SECRET_LENGTH ? [value] : [],
  );
  return redactText(secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text));
}

/** Keys and secrets, also those in which there is a slash. */
const ENCODED = [
  /^[\w-]+$/,
  /^[\w+/-]*[+=][\w+/=-]*$/,
  /^[\w/-]{43}$/,
  /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[A-Za-z0-9/]{24,}$/,
];

/**
 * Whether a text that stands where the name of a file belongs may be repeated to a person (S4): what is meant for the file,
 * such as a key, several keys or a certificate, may have been written there itself.
 */
export const looksLikePath = (text: string): boolean =>
  /[/\\.]/.test(text) &&
  !/-----BEGIN|\n/.test(text) &&
  !text.split(',').some((part) => ENCODED.some((form) => form.test(part.trim())));

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

/** As people name variables of the environment. */
const CUSTOMARY = /^[A-Z_][A-Z0-9_]*$/;

/**
 * The name of a variable as it may be said (S4): one that is not set, and that nobody would choose, may be the secret itself.
 */
export const sayable = (name: string, env: Readonly<Record<string, string | undefined>>): string =>
  env[name] !== undefined || CUSTOMARY.test(name) ? name : 'of the name given there';
