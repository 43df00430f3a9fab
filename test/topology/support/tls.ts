/** TLS with certificates of clients, as docs/administrators.md has it for the compose file. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { blocks, sectionOf, textOf } from '../../docs/documents';

const Override = z.strictObject({
  services: z.record(
    z.string(),
    z.strictObject({ environment: z.record(z.string(), z.string()), volumes: z.tuple([z.string()]) }),
  ),
});

/** The override of the compose file that the document tells people to make. */
export const tlsOverride = () =>
  Override.parse(parse(blocks(sectionOf(textOf('docs/administrators.md'), '### TLS'), 'yaml')[0] ?? '')).services;

const DAYS = '2';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Makes an authority and what the override names: certificates and keys of the server and of clients. */
export function makeCertificates(folder: string): void {
  mkdirSync(folder);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl('req', '-x509', ...NEW_KEY, '-days', DAYS, '-subj', '/CN=ca', '-keyout', 'ca.key', '-out', 'ca.pem');
  const names = { server: 'DNS:temporal,IP:127.0.0.1', client: 'DNS:client' };
  for (const [name, alternatives] of Object.entries(names)) {
    writeFileSync(join(folder, 'extensions'), `subjectAltName=${alternatives}\n`);
    openssl('req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', 'request');
    openssl(
      'x509',
      '-req',
      '-in',
      'request',
      ...authority,
      '-days',
      DAYS,
      '-extfile',
      'extensions',
      '-out',
      `${name}.pem`,
    );
  }
}
