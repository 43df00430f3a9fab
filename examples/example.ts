/** What an example is, and what it is given. */
import { print } from '../src/cli/output';
import type { Sandbox, SandboxOptions } from '../src/sandbox';
import type { Programs } from './programs';

/** One example: what the sandbox has, and what is done. */
export interface Example {
  readonly sandbox: SandboxOptions;
  /** Gives a storage that wins over that of the configuration file. @default a folder */
  readonly storage?: () => Promise<ExampleStorage>;
  /** Does what the example is about. @throws Error where it was not seen to happen */
  play(stand: Stand): Promise<void>;
}

export interface ExampleStorage {
  /** As STORAGE_URL. @default a folder of the stand */
  readonly url?: string;
  /** Variables with which it is entered, in the place of all of AWS that the environment has. */
  readonly env?: Readonly<Record<string, string>>;
  close?(): Promise<void> | undefined;
}

export interface Stand {
  readonly sandbox: Sandbox;
  /** Where everything that it makes is. Commands run in it; `audit-runner.yaml` is there. */
  readonly folder: string;
  readonly storageUrl: string;
  /** For programs of the example's own. */
  readonly own: Programs;
  /**
   * Shows a command of audit-runner, runs it as a person would, and shows what it says.
   * @returns its standard output
   * @throws Error where its exit code is not `code`, by default 0
   */
  command(args: readonly string[], code?: number): Promise<string>;
  /** Shows and makes a copy of one of the example's files in the folder that commands run in. */
  bring(file: string, to?: string): void;
  /** Shows a file of that folder. @returns its text */
  show(file: string): string;
  /** Writes a file into that folder. @returns where it is */
  keep(file: string, text: string): string;
}

/** Says what was seen to happen. @throws Error with the words of the first that was not */
export function seen(...facts: readonly (readonly [what: string, isSo: boolean])[]): void {
  print('');
  for (const [what, isSo] of facts) {
    if (!isSo) throw new Error(`not seen: ${what}`);
    print(`seen: ${what}`);
  }
}
