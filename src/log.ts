/**
 * The logger: JSON lines, or readable ones in a terminal. Every line passes {@link redactLine} on its way out, whatever
 * made it (a message, a nested object, a child's bindings, an error and its causes), so S4 holds at one place.
 */
import { type DestinationStream, destination, type LevelWithSilent, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

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

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  /** @default LOG_LEVEL, or else `info` */
  readonly level?: LevelWithSilent;
  /** Where lines go. @default standard output */
  readonly output?: DestinationStream;
  /** Lines for a person instead of JSON. @default in a terminal that is not a CI's */
  readonly pretty?: boolean;
}

const levelFromEnv = () => LOG_LEVELS.find((level) => level === process.env.LOG_LEVEL) ?? 'info';

export function createLogger({
  level = levelFromEnv(),
  output = destination({ fd: 1, sync: true }),
  pretty = process.stdout.isTTY === true && !process.env.CI,
}: LoggerOptions = {}): Logger {
  // Formatted here and not by a transport in another thread: a line that was logged is out, even if the process ends next.
  const format = pretty ? prettyFactory({ colorize: process.stdout.isTTY === true && !process.env.NO_COLOR }) : String;
  return pino(
    { level, serializers: { error: pino.stdSerializers.errWithCause, err: pino.stdSerializers.errWithCause } },
    { write: (line) => output.write(format(redactLine(line))) },
  );
}
