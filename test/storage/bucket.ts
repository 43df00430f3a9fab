/** Buckets for tests, on a moto of the test file's own. */
import { execFile } from 'node:child_process';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { ListMultipartUploadsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { type Moto, startMoto } from '../support/moto';

/** In the environment while a test file runs; must be in nothing that anybody sees. */
export const SECRET = 'not-to-be-seen-anywhere';
/** Documents in one page of a list: few, so that lists have pages. */
export const PAGE = 7;

/** What {@link useBuckets} gives; `moto` and `s3` are there within tests only. */
export interface Buckets {
  readonly moto: Moto;
  /** A client to look with, which is none of ours. */
  readonly s3: S3Client;
  /** Every key in a bucket with its content's tag; uploads in parts that nobody finished, too. */
  keysIn(bucket: string): Promise<[key: string, tag: string][]>;
  /** A server between us and moto, or instead of it, that answers some requests itself, and ignores some headers. */
  between(
    answer: (url: string, method: string, response: ServerResponse) => boolean | Promise<boolean>,
    ignored?: readonly string[],
  ): Promise<string>;
}

export const bucketOf = (url: string): string => new URL(url).hostname;

/** Runs a script that prints JSON in a process of its own, which has our environment. */
export const inProcess = async (script: string, ...args: string[]): Promise<unknown> =>
  // Named, since jest's process.env is a copy that children do not get by themselves.
  JSON.parse((await promisify(execFile)(process.execPath, ['-e', script, ...args], { env: process.env })).stdout);

/** Registers the hooks that start moto, set the environment for it, and undo both. */
export function useBuckets(): Buckets {
  let moto: Moto;
  let s3: S3Client;
  const environment = { ...process.env };
  const servers: Server[] = [];
  beforeAll(async () => {
    moto = await startMoto({ pageSize: PAGE });
    for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
    const quiet = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };
    Object.assign(process.env, moto.env, quiet, { AWS_SECRET_ACCESS_KEY: SECRET });
    s3 = new S3Client({ endpoint: moto.endpoint, forcePathStyle: true });
  }, 600_000);
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  afterAll(async () => {
    process.env = environment;
    s3?.destroy();
    await moto?.close();
  });

  return {
    get moto() {
      return moto;
    },
    get s3() {
      return s3;
    },
    async keysIn(Bucket) {
      const keys: [string, string][] = [];
      for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket }))
        for (const { Key = '', ETag = '' } of Contents) keys.push([Key, ETag]);
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
      return [...keys, ...Uploads.map(({ Key }): [string, string] => [`${Key} (unfinished)`, ''])];
    },
    async between(answer, ignored = []) {
      const server = createServer(async (request, response) => {
        const { url = '', method = '', headers } = request;
        const body = await buffer(request);
        if (await answer(url, method, response)) return;
        const reply = await fetch(moto.endpoint + url, {
          method,
          headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
            /^(connection|content-length|transfer-encoding|expect)$/.test(name) || ignored.includes(name)
              ? []
              : [[name, String(value)]],
          ),
          body: method === 'GET' ? null : body,
        });
        const content = Buffer.from(await reply.arrayBuffer());
        response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(content);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  };
}
