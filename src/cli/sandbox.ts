/** `audit-runner sandbox`: the stand-in for the service, on its own. */
import { ZodError } from 'zod';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox';
import { errorCode } from '../system';
import { EXIT, Exit } from './exit';
import { printSecret, tell } from './output';
import { EndSignals } from './signals';

/** Options as commander gives them. */
export interface SandboxFlags {
  port: number;
  controlPort: number;
  host: string;
  speed: number;
  variant: string;
  leads: number;
  seed: number;
  credits: number;
  limits: string;
  convertCheck: string;
  json?: boolean;
  config?: string;
}

export async function sandboxCommand(given: SandboxFlags): Promise<number> {
  // A sandbox has no configuration file.
  const { limits, variant, convertCheck, json, config: _, ...flags } = given;
  if (limits !== 'on' && limits !== 'off') throw new Exit(EXIT.badInput, `--limits is '${limits}'; allowed: on, off`);
  if (variant !== 'a' && variant !== 'b') throw new Exit(EXIT.badInput, `--variant is '${variant}'; allowed: a, b`);
  if (convertCheck !== 'atCommit' && convertCheck !== 'atArrival')
    throw new Exit(EXIT.badInput, `--convert-check is '${convertCheck}'; allowed: atCommit, atArrival`);
  const signals = new EndSignals();
  const sandbox = await openSandbox({ ...flags, variant, convertCheck, ...(limits === 'off' && { limits }) });
  const { baseUrl, token, readToken, otherToken, controlUrl } = sandbox;
  const { speed } = flags;
  const lines = [
    `base address            ${baseUrl}`,
    `token                   ${token}`,
    `read-only token         ${readToken}`,
    `token of a second user  ${otherToken}`,
    `control address         ${controlUrl}`,
  ];
  const shown = json ? JSON.stringify({ baseUrl, token, readToken, otherToken, controlUrl, speed }) : lines.join('\n');
  // These tokens open nothing but this sandbox.
  printSecret(shown);
  tell(`Use it: set AGENT_API_BASE_URL and AGENT_API_TOKEN. What it has seen: curl ${controlUrl}/stats`);
  if (speed !== 1)
    tell(`Its clock runs ${speed} times as fast: the account in audit-runner.yaml needs 'speed: ${speed}'.`);
  await signals.first;
  await sandbox.close();
  return EXIT.done;
}

/** Starts a sandbox. A wrong option or a port in use is a sentence for a person. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  try {
    return await startSandbox(options);
  } catch (error) {
    if (error instanceof ZodError)
      throw new Exit(
        EXIT.badInput,
        error.issues.map(({ path, message }) => `--${flagName(path)}: ${message}`).join('\n'),
      );
    if (error instanceof Error && errorCode(error) === 'EADDRINUSE')
      throw new Exit(EXIT.badInput, `the sandbox cannot start: ${error.message}; choose another --port`);
    throw error;
  }
}

const flagName = (path: readonly PropertyKey[]) => path.join('.').replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
