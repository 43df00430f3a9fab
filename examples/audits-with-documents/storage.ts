/** Which storage the example has: one of your own, an S3 server that is started for it, or a folder. */
import { tell } from '../../src/cli/output';
import { type Moto, startMoto } from '../../test/support/moto';
import type { ExampleStorage } from '../example';

const PLAIN = 'This runs with a folder in the place of the bucket; audit-runner uses both alike.';

export async function exampleStorage(env: NodeJS.ProcessEnv = process.env): Promise<ExampleStorage> {
  if (env.STORAGE_URL) return { url: within(env.STORAGE_URL, `example-${Date.now()}`) };
  tell(
    'Starting a server that speaks the S3 protocol: moto, from PyPI, which Python installs once into the cache folder.',
  );
  let moto: Moto | undefined;
  try {
    moto = await startMoto();
    return { url: await moto.bucket('clients'), env: moto.env, close: () => moto?.close() };
  } catch (error) {
    await moto?.close();
    tell(`No S3 server: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    tell(`${PLAIN} For S3, install Python 3 with venv, or set STORAGE_URL to a bucket of yours.`);
    return {};
  }
}

/**
 * A folder of that storage, new each time: each sandbox is a service of its own, and what the storage knows of the projects of
 * another does not hold for it.
 */
function within(url: string, folder: string): string {
  const [place = '', query] = url.split('?');
  return `${place.replace(/\/+$/, '')}/${folder}${query === undefined ? '' : `?${query}`}`;
}
