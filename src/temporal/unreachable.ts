/** Why a Temporal server cannot be used as configured: a sentence with the address, and one mend. */
import { connect } from 'node:net';
import { PROGRAM } from '../text/command';
import { GRPC, grpcStatus, isUnprepared, serverWords } from './grpc-status';

/** Temporal cannot be used as configured. The message says where, why, and what a person can do. */
export class TemporalUnreachable extends Error {
  override readonly name = 'TemporalUnreachable';
  /** @param mend what a person can do about it; part of the message */
  constructor(
    readonly found: string,
    readonly mend: string,
    options: ErrorOptions = {},
  ) {
    super(`${found}; ${mend}`, options);
  }
}

/** What an error of a server means. */
export interface Reason {
  found: string;
  mend: string;
  /** A server or a namespace may come yet; what is refused stays so. */
  mayCome: boolean;
}

/** Where it was looked for. */
interface Where {
  address: string;
  namespace: string;
  /** Present: it is spoken to over TLS. */
  tls?: unknown;
}

/** @param listens whether somebody accepts connections there, where that was tried */
export function explain({ address, namespace, tls }: Where, error: unknown, listens?: Listens): Reason {
  const status = grpcStatus(error);
  switch (status) {
    case GRPC.NOT_FOUND:
      if (!/namespace/i.test(serverWords(error))) break;
      return {
        found: `the Temporal server at ${address} has no namespace '${namespace}'`,
        mend: 'set TEMPORAL_NAMESPACE, or create it',
        mayCome: true,
      };
    case undefined:
    case GRPC.UNAVAILABLE:
    case GRPC.DEADLINE_EXCEEDED:
      return { found: `no Temporal server answers at ${address}`, ...silence(tls, listens), mayCome: true };
    case GRPC.UNAUTHENTICATED:
    case GRPC.PERMISSION_DENIED:
      return {
        found: `the Temporal server at ${address} refuses us in namespace '${namespace}': ${bareWords(error)}`,
        mend: permission(error),
        mayCome: false,
      };
    case GRPC.INVALID_ARGUMENT:
      if (isUnprepared(error))
        return {
          found: `nothing has been prepared yet in namespace '${namespace}' of the Temporal server at ${address}: it lacks search attributes`,
          mend: `run \`${PROGRAM} setup\``,
          mayCome: false,
        };
  }
  return inItsWords({ address }, error);
}

/** For the middle of a sentence. */
export const bareWords = (error: unknown): string => serverWords(error).replace(/\.$/, '');

/** What is said of who asks; other words are about something that nobody may do there. */
const OF_CREDENTIALS = /unauthori[sz]ed|authenticat|credential|token|claims|audience|certificate|api.?key/i;

/** What may end a refusal: a server refuses with the same status whom it does not know, and what is switched off. */
export const permission = (error: unknown): string =>
  grpcStatus(error) === GRPC.UNAUTHENTICATED || OF_CREDENTIALS.test(serverWords(error))
    ? 'check TEMPORAL_API_KEY or the TLS certificate, and what its role may do'
    : 'have it allowed there: "The Temporal server" in docs/administrators.md says what is needed';

const inItsWords = ({ address }: Pick<Where, 'address'>, error: unknown): Reason => ({
  found: `the Temporal server at ${address} does not do it: ${serverWords(error)}`,
  mend: 'see its log',
  mayCome: false,
});

/** What the failure of a server that had answered is for a person; any other error is left as it is. */
export async function explained(where: Where, error: unknown): Promise<unknown> {
  if (grpcStatus(error) === undefined || error instanceof TemporalUnreachable) return error;
  const reason = explain(where, error);
  // A part of it may be away while it answers otherwise.
  const isThere = reason.mayCome && grpcStatus(error) !== GRPC.NOT_FOUND && (await listens(where.address)) === 'yes';
  return unreachable(isThere ? inItsWords(where, error) : reason, error);
}

export const unreachable = ({ found, mend }: Reason, cause: unknown): TemporalUnreachable =>
  new TemporalUnreachable(found, mend, { cause });

/** What became of a bare connection. */
type Listens = 'yes' | 'no' | 'unknownName';

function silence(tls: Where['tls'], listens: Listens | undefined): Pick<Reason, 'mend'> {
  if (listens === 'unknownName') return { mend: 'correct TEMPORAL_ADDRESS: no machine of that name is known' };
  if (listens !== 'yes') return { mend: 'start it, or set TEMPORAL_ADDRESS' };
  return {
    mend: `something listens there, so set TEMPORAL_ADDRESS to the server's gRPC port, or TEMPORAL_TLS=${tls ? 'false where it has no TLS (it is on here)' : 'true where it needs TLS (it is off here)'}`,
  };
}

const LISTEN_MS = 1_000;

/** gRPC only says that time ran out; a bare connection tells why. */
export function listens(address: string): Promise<Listens> {
  const { hostname, port } = URL.canParse(`tcp://${address}`)
    ? new URL(`tcp://${address}`)
    : { hostname: '', port: '' };
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) });
    const end = (answer: Listens) => {
      socket.destroy();
      resolve(answer);
    };
    socket
      .setTimeout(LISTEN_MS, () => end('no'))
      .once('connect', () => end('yes'))
      .once('error', (error: NodeJS.ErrnoException) => end(error.syscall === 'getaddrinfo' ? 'unknownName' : 'no'));
  });
}
