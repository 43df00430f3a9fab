/** What a failure of a command says to a person: what was found, and how to mend it. Pure. */
import { ConfigError } from '../config/problems';
import { InputError } from '../inputs/parse-input';
import { rootCause } from '../root-cause';
import { errorCode } from '../system';
import { EXIT, Exit } from './exit';

export interface Sentence {
  code: number;
  sentence: string;
  /** There is nothing more to know about it. */
  whole: boolean;
}

/** By name: the classes come with the whole SDK, which `--help` need not load. */
const NO_SERVER = ['TemporalUnreachable', 'NoTemporalServer'];
/** What only a mistake of ours throws. */
const BUGS = ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'AssertionError', 'ZodError', 'InvalidCall'];

export function sentenceOf(error: unknown): Sentence {
  if (error instanceof Exit) return { code: error.code, sentence: error.message, whole: error.cause === undefined };
  if (error instanceof ConfigError) return { code: EXIT.badInput, sentence: error.message, whole: true };
  if (error instanceof InputError) return { code: EXIT.badInput, sentence: error.problems.join('\n'), whole: true };
  if (!(error instanceof Error)) return { code: EXIT.failed, sentence: bug(String(error)), whole: true };
  if (NO_SERVER.includes(error.name))
    return { code: EXIT.noServer, sentence: error.message, whole: error.cause === undefined };
  const root = rootCause(error);
  const ofSystem = systemSentence(root);
  if (ofSystem !== undefined) return { code: EXIT.failed, sentence: ofSystem, whole: false };
  if (BUGS.includes(error.name))
    return { code: EXIT.failed, sentence: bug(`${error.name}: ${firstLine(error.message)}`), whole: true };
  return {
    code: EXIT.failed,
    sentence: withoutFrames(root instanceof Error ? root.message : String(root)),
    whole: false,
  };
}

const bug = (what: string) => `this is a bug in audit-runner: ${what}; run again with --verbose and report it`;

/** A check of a shape has a long message that quotes what it checked (S4). */
const firstLine = (text: string) =>
  text.startsWith('[') ? 'a shape that was not expected' : (text.split('\n')[0] ?? '');

const withoutFrames = (text: string) =>
  text
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n');

/** What the system says, and what a person can do. */
const SYSTEM: Readonly<Record<string, readonly [found: string, mend: string]>> = {
  ENOENT: ['is not there', 'correct the path'],
  EISDIR: ['is a folder', 'name a file'],
  ENOTDIR: ['has a file where a folder should be', 'correct the path'],
  EEXIST: ['is there already, as something else', 'remove it or choose another folder'],
  EACCES: ['may not be used by this user', 'give the user the right, or name another one'],
  EPERM: ['may not be used by this user', 'give the user the right, or name another one'],
  EROFS: ['is on a file system that is read-only', 'run the command in a folder that can be written'],
  ENOSPC: ['cannot be written: the disk is full', 'make room'],
  EDQUOT: ["cannot be written: the user's share of the disk is used up", 'make room'],
  EFBIG: ['cannot be written: it would be too large', 'make room'],
  EIO: ['cannot be read or written: the disk fails', 'look at the disk'],
  EMFILE: ['cannot be opened: too many files are open', 'raise the limit (ulimit -n)'],
  ENFILE: ['cannot be opened: too many files are open', 'raise the limit (ulimit -n)'],
  ELOOP: ['leads in a circle of links', 'correct the path'],
  ENAMETOOLONG: ['is too long a name', 'choose a shorter one'],
  EADDRINUSE: ['is in use', 'end what listens there, or choose another port'],
  EADDRNOTAVAIL: ['is no address of this machine', 'choose another address'],
  ENOTFOUND: ['is no machine that is known here', 'correct the address'],
  EAI_AGAIN: ['cannot be looked up now', 'see to the network'],
  ECONNREFUSED: ['is where nobody listens', 'start what should, or correct the address'],
};

/** Of a Node system error; undefined for any other. */
function systemSentence(error: unknown): string | undefined {
  const known = SYSTEM[errorCode(error) ?? ''];
  if (!known || !(error instanceof Error)) return undefined;
  const { path, address, port, hostname, syscall }: Partial<Record<string, unknown>> = { ...error };
  const place = [address ?? hostname, port].filter((part) => part !== undefined).join(':');
  const what =
    typeof path === 'string' ? path : place || (syscall === 'write' ? 'the output' : `what it needs (${syscall})`);
  return `${what} ${known[0]}; ${known[1]}`;
}
