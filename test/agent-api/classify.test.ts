import { failureOf } from '../../src/agent-api/classify';

/** Codes as Node 20, OpenSSL and undici 7 give them. */
it.each([
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['ETIMEDOUT', 'connectTimeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connectTimeout'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ECONNRESET', 'unreachable'],
  ['EPROTO', 'tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['something new', 'unreachable'],
])('what was not written is not sent, with the reason of %s', (code, reason) => {
  const exchange = { endedAt: 1, ending: { kind: 'lost', code } } as const;
  expect(failureOf('POST', exchange, 1)).toEqual({ kind: 'notSent', reason });
});

it.each(['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT'])(
  'what was written is unknown, also with the code %s',
  (code) => {
    const exchange = { sentAt: 1, endedAt: 2, ending: { kind: 'lost', code } } as const;
    expect(failureOf('GET', exchange, 1)).toEqual({ kind: 'unknown', reason: 'connectionLost' });
  },
);
