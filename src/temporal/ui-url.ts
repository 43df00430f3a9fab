/** Where Temporal's Web UI is, as the environment says it. */
import { ConfigError } from '../config/problems';
import type { Env } from './environment';

/** @returns without its last slashes; undefined where nobody has said it. @throws ConfigError that does not quote it (S4) */
export function uiUrlOf({ TEMPORAL_UI_URL: given = '' }: Env): string | undefined {
  if (given === '') return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigError([
      'TEMPORAL_UI_URL: it is no address of a Web UI such as https://temporal.example.com or http://127.0.0.1:8233',
    ]);
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(['TEMPORAL_UI_URL: no user or password belongs in it: it stands in links']);
  return given.trim().replace(/\/+$/, '');
}
