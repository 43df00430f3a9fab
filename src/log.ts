/**
 * The logger: JSON lines, or readable ones in a terminal. Every line passes {@link redactLine} on its way out, whatever
 * made it (a message, a nested object, a child's bindings, an error and its causes), so S4 holds at one place. Nor does a line
 * hold anything that a terminal obeys: people look at JSON lines in one, too.
 */
import { type DestinationStream, destination, type LevelWithSilent, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { redactLine } from './redact';
import { forTerminal, jsonForTerminal } from './text/terminal';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

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
  const prettily = prettyFactory({ colorize: process.stdout.isTTY === true && !process.env.NO_COLOR });
  const format = (line: string) => (pretty ? forTerminal(prettily(line)) : jsonForTerminal(line));
  return pino(
    { level, serializers: { error: pino.stdSerializers.errWithCause, err: pino.stdSerializers.errWithCause } },
    { write: (line) => output.write(format(redactLine(line))) },
  );
}
