/** Why a Temporal server cannot be used as configured: a sentence with the address, and one mend. */
import { connect } from 'node:net';
import type { ConnectionConfig } from './connect';
import { GRPC, grpcStatus, isUnprepared, serverWords } from './grpc-status';

/** Temporal cannot be used as configured. The message says where, why, and what a person can do. */
export class TemporalUnreachable extends Error {
  override readonly name = 'TemporalUnreachable';
}

/** What an error of a server means; undefined where it is none of a server's. */
export interface Reason {
  sentence: string;
  /** A server or a namespace may come yet; what is refused stays so. */
  mayCome: boolean;
}

type Where = Pick<ConnectionConfig, 'address' | 'namespace' | 'tls'>;

/** @param listens whether somebody accepts connections there, where that was tried */
export function explain({ address, namespace, tls }: Where, error: unknown, listens?: Listens): Reason {
  const status = grpcStatus(error);
  switch (status) {
    case GRPC.NOT_FOUND:
      if (!/namespace/i.test(serverWords(error))) break;
      return {
        sentence: `the Temporal server at ${address} has no namespace '${namespace}'; set TEMPORAL_NAMESPACE, or create it`,
        mayCome: true,
      };
    case undefined:
    case GRPC.UNAVAILABLE:
    case GRPC.DEADLINE_EXCEEDED:
      return { sentence: `no Temporal server answers at ${address}${silence(tls, listens)}`, mayCome: true };
    case GRPC.UNAUTHENTICATED:
    case GRPC.PERMISSION_DENIED:
      return {
        sentence: `the Temporal server at ${address} refuses us in namespace '${namespace}'; check TEMPORAL_API_KEY or the TLS certificate`,
        mayCome: false,
      };
    case GRPC.INVALID_ARGUMENT:
      if (isUnprepared(error))
        return {
          sentence: `nothing has been prepared yet in namespace '${namespace}' of the Temporal server at ${address}: it lacks search attributes; run \`audit-runner setup\``,
          mayCome: false,
        };
  }
  return { sentence: `the Temporal server at ${address} does not do it: ${serverWords(error)}`, mayCome: false };
}

/** What a server's failure is for a person; any other error is left as it is. */
export const explained = (where: Where, error: unknown): unknown =>
  grpcStatus(error) === undefined || error instanceof TemporalUnreachable
    ? error
    : new TemporalUnreachable(explain(where, error).sentence, { cause: error });

/** What became of a bare connection. */
type Listens = 'yes' | 'no' | 'unknownName';

function silence(tls: Where['tls'], listens: Listens | undefined): string {
  if (listens === 'unknownName') return ': no machine of that name is known; correct TEMPORAL_ADDRESS';
  if (listens !== 'yes') return '; start it, or set TEMPORAL_ADDRESS';
  return tls
    ? ', though something listens there; set TEMPORAL_ADDRESS to its gRPC port, or TEMPORAL_TLS=false where it has no TLS (it is on here)'
    : ', though something listens there; set TEMPORAL_ADDRESS to its gRPC port, or TEMPORAL_TLS=true where it needs TLS (it is off here)';
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
