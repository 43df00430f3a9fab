/** The configuration: a YAML file, and one account from the environment. Parsed here and nowhere else. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closest } from 'fastest-levenshtein';
import { isObject } from './agent-api/shape';
import { TokenError } from './agent-api/token';
import { type Account, toAccount } from './config/account';
import { toReceiver } from './config/notify';
import { type Pipeline, resolvePipelines } from './config/pipelines';
import { ConfigError, sentences } from './config/problems';
import { oldNames, withPresentNames } from './config/renamed';
import { ConfigFile } from './config/schema';
import { readYaml } from './config/yaml-file';
import type { Receiver } from './notify/receiver';
import { openStorage, StorageError } from './storage';
import { expandHome } from './system';

export { type Account, apiOptions, type Timing } from './config/account';
export { type Ceilings, watchCeilings } from './config/ceilings';
export type { Pipeline } from './config/pipelines';
export { ConfigError } from './config/problems';

/** The configuration with everything resolved. */
export interface Config {
  /** By name; may be empty, for the commands that need none. */
  readonly accounts: Readonly<Record<string, Account>>;
  /** What runs on a schedule, by name. */
  readonly pipelines: Readonly<Record<string, Pipeline>>;
  /** An absolute URL: `file://` for a folder, `s3://` for a bucket. */
  readonly storageUrl: string;
  readonly log: ConfigFile['log'];
  readonly workers: ConfigFile['workers'];
  readonly encryption: ConfigFile['encryption'];
  /** Where notifications go; absent: nowhere. */
  readonly notify?: Receiver;
  /** What the file should say otherwise, though it is understood: a sentence each. */
  readonly notices: readonly string[];
  /** The file that was read; absent when there is none. */
  readonly file?: string;
}

/** Where {@link loadConfig} looks. */
export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From `--config`; wins over AUDIT_RUNNER_CONFIG and over ./audit-runner.yaml, which alone may be missing. */
  readonly file?: string | undefined;
  /** @default the current folder */
  readonly cwd?: string;
  /** False for what needs no token: one that is missing or malformed is then no problem. @default true */
  readonly tokens?: boolean;
}

const DEFAULT_FILE = 'audit-runner.yaml';
/** Wins over `encryption.require` of the file. */
const REQUIRE_VARIABLE = 'AUDIT_RUNNER_ENCRYPTION_REQUIRE';

/**
 * Loads and checks everything, the tokens too.
 * @throws ConfigError with all problems, one sentence each; no token is in any of them (S4).
 */
export function loadConfig({ env, file, cwd = process.cwd(), tokens = true }: ConfigSources): Config {
  const path = findFile(file ?? env.AUDIT_RUNNER_CONFIG, cwd);
  const content = path === undefined ? {} : readYaml(path);
  const result = ConfigFile.safeParse(withEnvironment(withPresentNames(content), env, cwd));
  if (!result.success) throw new ConfigError(sentences(ConfigFile, result.error));
  const { accounts: written, pipelines: scheduled, storageUrl, log, workers, encryption } = result.data;
  const folder = path === undefined ? cwd : dirname(path);
  const accounts = Object.fromEntries(
    Object.entries(written).map(([name, account]) => [name, toAccount(name, account, env, folder)]),
  );
  const told = result.data.notify && toReceiver(result.data.notify, env);
  const storage = /^[a-z][a-z0-9+.-]+:\/\//i.test(storageUrl)
    ? storageUrl
    : pathToFileURL(resolve(cwd, expandHome(storageUrl))).href;
  const { pipelines, problems: unusable } = resolvePipelines(scheduled, accounts);
  const problems = [
    ...(tokens ? tokenProblems(Object.values(accounts)) : []),
    ...storageProblems(storage, env),
    ...(told && 'problems' in told ? told.problems : []),
    ...unusable,
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    accounts,
    pipelines,
    storageUrl: storage,
    log,
    workers,
    encryption,
    ...(told && 'receiver' in told && { notify: told.receiver }),
    notices: oldNames(content),
    ...(path !== undefined && { file: path }),
  };
}

/** The account of this name. @throws ConfigError that names those there are. */
export function accountOf({ accounts }: Pick<Config, 'accounts'>, name = 'default'): Account {
  const account = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
  if (account) return account;
  const names = Object.keys(accounts);
  throw new ConfigError([
    names.length === 0
      ? 'no account is configured: set AGENT_API_BASE_URL and AGENT_API_TOKEN, or write accounts into audit-runner.yaml'
      : `there is no account '${name}'; did you mean '${closest(name, names)}'? There are ${names.join(', ')}`,
  ]);
}

function findFile(given: string | undefined, cwd: string): string | undefined {
  const path = resolve(cwd, expandHome(given ?? DEFAULT_FILE));
  if (existsSync(path)) return path;
  if (given === undefined) return undefined;
  throw new ConfigError([`there is no configuration file ${path}`]);
}

/** The environment wins for single values; its account is there unless the file has a `default` of its own. */
function withEnvironment(content: object, env: ConfigSources['env'], cwd: string): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...content };
  if (env.STORAGE_URL) merged.storageUrl = env.STORAGE_URL;
  const level = env.LOG_LEVEL;
  if (level) merged.log = { ...(isObject(merged.log) ? merged.log : {}), level };
  const required = env[REQUIRE_VARIABLE];
  if (required) merged.encryption = { require: { true: true, false: false }[required] ?? required };
  const accounts = merged.accounts ?? {};
  if (!isObject(accounts) || Object.hasOwn(accounts, 'default')) return merged;
  const account = environmentAccount(env, cwd, Object.keys(accounts).length > 0);
  return account ? { ...merged, accounts: { ...accounts, default: account } } : merged;
}

/** `others`: a token alone may then be meant for one of the file's accounts. */
function environmentAccount(env: ConfigSources['env'], cwd: string, others: boolean): object | undefined {
  const { AGENT_API_BASE_URL: baseUrl, AGENT_API_TOKEN: token, AGENT_API_TOKEN_FILE: tokenFile } = env;
  if (!baseUrl) {
    if (others || !(token || tokenFile)) return undefined;
    throw new ConfigError(['AGENT_API_BASE_URL is not set, but a token is']);
  }
  if (!token && !tokenFile)
    throw new ConfigError(['neither AGENT_API_TOKEN nor AGENT_API_TOKEN_FILE is set, but AGENT_API_BASE_URL is']);
  return {
    baseUrl,
    ...(tokenFile ? { tokenFile: resolve(cwd, expandHome(tokenFile)) } : { tokenEnv: 'AGENT_API_TOKEN' }),
  };
}

/** Tokens that are missing or malformed, and accounts that share one: their limits and ledgers would be two (S1, S5). */
function tokenProblems(accounts: readonly Account[]): string[] {
  const owners = new Map<string, string>();
  return accounts.flatMap(({ name, token }) => {
    try {
      const value = token.read();
      const other = owners.get(value);
      if (other !== undefined)
        return [`accounts.${name}: has the same token as accounts.${other}; one account per token`];
      owners.set(value, name);
      return [];
    } catch (error) {
      if (error instanceof TokenError) return [`accounts.${name}: ${error.message}`];
      throw error;
    }
  });
}

/** A storage is opened where it is used; whether its URL means anything is known now. */
function storageProblems(url: string, env: ConfigSources['env']): string[] {
  try {
    openStorage(url, env);
    return [];
  } catch (error) {
    if (error instanceof StorageError) return [`storageUrl: ${error.message}`];
    throw error;
  }
}
