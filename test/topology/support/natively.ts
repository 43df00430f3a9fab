/** Services of docker-compose.yml without containers: the same variables and the same commands, with files and ports of this machine. */
import { join, resolve } from 'node:path';
import { ROOT, type Service } from '../../deploy/support';

/** What is elsewhere than in the containers. */
export interface Places {
  /** Where the secrets are, each under the name by which a container has it. */
  secrets: string;
  /** Paths of the containers, and where this machine has what is there. */
  paths?: Readonly<Record<string, string>>;
  /** Variables that name other places, such as ports, in addition to those of the service. */
  env?: Readonly<Record<string, string>>;
}

export interface NativeService {
  argv: string[];
  env: Record<string, string>;
}

const SECRETS = '/run/secrets';

/** Of `./deploy/file:/etc/file:ro` the second, and where the first is. */
const mounted = ({ volumes }: Service): [string, string][] =>
  volumes.flatMap((volume): [string, string][] => {
    const [from = '', to = ''] = volume.split(':');
    return from.startsWith('./') ? [[to, resolve(ROOT, from)]] : [];
  });

/** What starts a service here. Of variables that are not set, the values that the file gives them. */
export function natively(service: Service, { secrets, paths = {}, env = {} }: Places): NativeService {
  const places: [string, string][] = [
    ...Object.entries(paths),
    ...mounted(service),
    ...service.secrets.map(({ target }): [string, string] => [`${SECRETS}/${target}`, join(secrets, target)]),
  ];
  const here = (text: string): string =>
    places
      .reduce((moved, [from, to]) => moved.replaceAll(from, to), text.replace(/\$\{\w+:-([^}]*)\}/g, '$1'))
      .replaceAll('$$', '$');
  const own = Object.entries(service.environment).map(([name, value]) => [name, here(value)]);
  return { argv: [...service.entrypoint, ...service.command].map(here), env: { ...Object.fromEntries(own), ...env } };
}
