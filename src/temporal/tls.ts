/** The certificates and keys for a Temporal server, looked at before anything is connected. */
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ConnectionOptions } from '@temporalio/client';
import { ConfigError } from '../config/problems';
import { errorCode } from '../system';
import type { Env } from './environment';

const MEND = 'see that the file is whole, with its line breaks';

/**
 * gRPC fails with one that cannot be read as with a server that does not answer, and a worker would wait for that server.
 * @throws ConfigError that quotes none of them (S4)
 */
export function checkTls(tls: ConnectionOptions['tls'], env: Env): void {
  if (typeof tls !== 'object' || tls === null) return;
  const { serverRootCACertificate, clientCertPair } = tls;
  const variableOf = (what: string) =>
    [`TEMPORAL_TLS_${what}_PATH`, `TEMPORAL_TLS_${what}_DATA`].find((name) => env[name]);
  const called = (what: string) =>
    variableOf(what) ?? `TEMPORAL_TLS_${what}_PATH, or what the profile has in its place`;
  if (serverRootCACertificate) {
    const ca = Buffer.from(serverRootCACertificate);
    // By itself a context takes a text without any certificate, and trusts nobody then.
    attempt(() => new X509Certificate(ca), `${called('SERVER_CA_CERT')}: it holds no certificate in PEM; ${MEND}`);
    if (!ca.includes('-----BEGIN'))
      throw new ConfigError([`${called('SERVER_CA_CERT')}: it holds no certificate in PEM`]);
  }
  if (!clientCertPair) {
    // One alone is left out in silence, and the server refuses whoever shows none.
    const [alone] = ['CLIENT_CERT', 'CLIENT_KEY'].flatMap((what) => variableOf(what) ?? []);
    if (alone)
      throw new ConfigError([`${alone}: a certificate and its key are given together, and the other one is not`]);
    return;
  }
  const [cert, key] = [Buffer.from(clientCertPair.crt), Buffer.from(clientCertPair.key)];
  const [certificate, privateKey] = [called('CLIENT_CERT'), called('CLIENT_KEY')];
  attempt(() => createSecureContext({ cert }), `${certificate}: it holds no certificate in PEM; ${MEND}`);
  attempt(
    () => createSecureContext({ key }),
    `${privateKey}: it holds no private key in PEM that needs no password; ${MEND}`,
  );
  attempt(() => createSecureContext({ cert, key }), `${certificate} and ${privateKey}: they do not belong together`);
}

function attempt(use: () => unknown, problem: string): void {
  try {
    use();
  } catch (error) {
    throw new ConfigError([`${problem} (${errorCode(error) ?? 'unknown'})`]);
  }
}
