import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { PutBucketPolicyCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Place } from '../../src/books/place';
import { freePort } from '../../src/dev-server/free-port';
import { NoConditionalWrites, openStorage, type Storage } from '../../src/storage';
import { LIMITS } from '../../src/storage/bucket-client';
import { parseBucketUrl } from '../../src/storage/bucket-url';
import { BucketStorage } from '../../src/storage/s3';
import { bucketOf, inProcess, SECRET, useBuckets } from './bucket';
import { listed, mebibytes } from './contract';

const buckets = useBuckets();

const s3Error = (response: ServerResponse, status: number, code: string) =>
  !!response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>the server's own words</Message></Error>`);

const through = (url: string, endpoint: string) => openStorage(url.replace(buckets.moto.endpoint, endpoint));

describe('a write', () => {
  it.each(['UploadPart', 'CompleteMultipartUpload'])('removes its parts when %s fails', async (step) => {
    const url = await buckets.moto.bucket();
    let failed = 0;
    const endpoint = await buckets.between((path, method, response) => {
      const isStep =
        step === 'UploadPart' ? path.includes('partNumber=2') : method === 'POST' && !path.includes('uploads');
      if (!isStep) return false;
      failed++;
      return s3Error(response, 400, 'EntityTooSmall');
    });
    const storage = through(url, endpoint);
    await storage.write('doc', 'old');
    await expect(storage.write('doc', mebibytes(12))).rejects.toMatchObject({ name: 'EntityTooSmall' });
    expect(failed).toBe(1);
    expect((await buckets.keysIn(bucketOf(url))).map(([key]) => key)).toEqual(['doc']);
    expect(await text(await storage.read('doc'))).toBe('old');
  });

  it('gives the failure of its source as it is, not as one of the bucket', async () => {
    const storage = openStorage(await buckets.moto.bucket());
    const failure = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    async function* source() {
      yield 'half';
      throw failure;
    }
    await expect(storage.write('doc', source())).rejects.toBe(failure);
  });
});

describe('a document that is to be created only if there is none', () => {
  /** Refuses so many of the next writes as S3 does when several write at once. */
  const refusing = async (url: string, times: number) => {
    let left = times;
    const endpoint = await buckets.between(
      (_, method, response) => method === 'PUT' && left-- > 0 && s3Error(response, 409, 'ConditionalRequestConflict'),
    );
    return through(url, endpoint);
  };

  it('is tried again while others write it at the same moment', async () => {
    const url = await buckets.moto.bucket();
    expect(await (await refusing(url, 2)).create('a', 'mine')).toBe(true);
    expect(await (await refusing(url, 2)).create('a', 'other')).toBe(false);
    expect(await text(await openStorage(url).read('a'))).toBe('mine');
    await expect((await refusing(url, 3)).create('b', 'x')).rejects.toMatchObject({
      name: 'ConditionalRequestConflict',
    });
  });

  it('says so where the server does not know such writes, and the books cannot be kept there', async () => {
    const url = await buckets.moto.bucket();
    const endpoint = await buckets.between(
      (_, method, response) => method === 'PUT' && s3Error(response, 501, 'NotImplemented'),
    );
    const place = new Place(through(url, endpoint), 'u1');
    await expect(place.read()).rejects.toThrow(NoConditionalWrites);
    await expect(place.read()).rejects.toThrow(
      /does not know conditional writes, .* \(NotImplemented\): keep the books in a storage/,
    );
    expect(place.failure).toBeInstanceOf(NoConditionalWrites);
  });

  it('makes a bucket that overwrites it unfit for the books', async () => {
    const url = await buckets.moto.bucket();
    const endpoint = await buckets.between(() => false, ['if-none-match']);
    const place = new Place(through(url, endpoint), 'u1');
    await expect(place.read()).rejects.toThrow(/overwrites a document that was to be created only if there is none/);
    expect(place.id).toBeUndefined();
  });
});

describe('a server whose lists show late what was written', () => {
  it('has a document as soon as it is written, with its size, and none that was removed', async () => {
    const url = await buckets.moto.bucket();
    const empty = `<?xml version="1.0"?><ListBucketResult><Name>${bucketOf(url)}</Name><IsTruncated>false</IsTruncated></ListBucketResult>`;
    const endpoint = await buckets.between(
      (path, method, response) =>
        method === 'GET' &&
        path.includes('list-type=2') &&
        !!response.writeHead(200, { 'content-type': 'application/xml' }).end(empty),
    );
    const storage = through(url, endpoint);
    await storage.write('doc', mebibytes(6));
    await storage.write('nothing', '');
    expect(await listed(storage)).toEqual([]);
    expect(await storage.stat('doc')).toEqual({ ref: 'doc', size: 6 * 1024 * 1024 });
    expect(await storage.stat('nothing')).toEqual({ ref: 'nothing', size: 0 });
    await storage.delete('doc');
    expect(await storage.stat('doc')).toBeUndefined();
  });
});

describe('what breaks off', () => {
  it('a document that breaks off is a failure, and no shorter document', async () => {
    const url = await buckets.moto.bucket();
    const cut = await buckets.between((_path, _method, response) => {
      response.writeHead(200, { etag: '"x"', 'content-length': '10' }).write('half');
      setTimeout(() => response.socket?.destroy(), 20);
      return true;
    });
    const source = await through(url, cut).read('doc');
    await expect(text(source)).rejects.toThrow();
  });
});

describe('what a person has to mend is said in a sentence', () => {
  const ways: [string, (storage: Storage) => Promise<unknown>][] = [
    ['read', (storage) => storage.read('doc')],
    ['write', (storage) => storage.write('doc', 'x')],
    ['write in parts', (storage) => storage.write('doc', mebibytes(6))],
    ['stat', (storage) => storage.stat('doc')],
    ['list', (storage) => listed(storage)],
    ['delete', (storage) => storage.delete('doc')],
  ];
  async function sentences(storage: Storage, only: string[] = ways.map(([way]) => way)) {
    const failures = await Promise.all(
      ways
        .filter(([way]) => only.includes(way))
        .map(([, act]) =>
          act(storage).then(
            () => 'none',
            (error: unknown) => error,
          ),
        ),
    );
    for (const failure of failures) {
      expect(failure).toMatchObject({ name: 'StorageUnusable', kind: 'unusable' });
      // S4: not the key, not its ID, and nothing that was signed with it.
      expect(inspect(failure, { depth: null, showHidden: true })).not.toMatch(/not-to-be-seen|AWS4|AKIA/);
    }
    return [...new Set(failures.map((failure) => (failure instanceof Error ? failure.message : '')))];
  }

  it('a bucket that is not there', async () => {
    const storage = openStorage(`s3://no-such-bucket/below?endpoint=${buckets.moto.endpoint}`);
    expect(await sentences(storage)).toEqual([
      `There is no bucket 'no-such-bucket' at ${buckets.moto.endpoint}: create it, or correct the bucket in the storage's URL (STORAGE_URL).`,
    ]);
  });

  it('access that is denied', async () => {
    const url = await buckets.moto.bucket();
    const Bucket = bucketOf(url);
    const statement = { Effect: 'Deny', Principal: '*', Action: ['s3:GetObject', 's3:PutObject'] };
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ ...statement, Resource: `arn:aws:s3:::${Bucket}/*` }],
    });
    await buckets.s3.send(new PutObjectCommand({ Bucket, Key: 'doc', Body: 'x' }));
    await buckets.s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    expect(await sentences(openStorage(url), ['read', 'write'])).toEqual([
      `Access to the bucket '${Bucket}' at ${buckets.moto.endpoint} is denied (403): ` +
        'let the credentials list the bucket, and read, write and delete below its prefix.',
    ]);
  });

  it.each([
    ['InvalidAccessKeyId', 403, 'AWS_ACCESS_KEY_ID'],
    ['SignatureDoesNotMatch', 403, 'AWS_SECRET_ACCESS_KEY'],
    ['ExpiredToken', 400, 'AWS_PROFILE'],
    ['RequestTimeTooSkewed', 403, 'clock'],
    ['AuthorizationHeaderMalformed', 400, 'AWS_REGION'],
    ['PermanentRedirect', 301, '?region='],
  ])('%s', async (code, status, mend) => {
    const secrets = `<AWSAccessKeyId>AKIATEST</AWSAccessKeyId><StringToSign>AWS4-HMAC ${SECRET}</StringToSign>`;
    const endpoint = await buckets.between(
      (_path, _method, response) =>
        !!response
          .writeHead(status, { 'content-type': 'application/xml' })
          .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${SECRET}</Message>${secrets}</Error>`),
    );
    const [sentence, ...others] = await sentences(openStorage(`s3://bucket?endpoint=${endpoint}`));
    expect(others).toEqual([]);
    expect(sentence).toContain(endpoint);
    expect(sentence).toContain(mend);
  });

  it.each([
    [200, 'text/html', '<html><body>A console</body></html>'],
    [404, 'text/html', '<!DOCTYPE html><p>Not found'],
    [404, 'text/html', '<html></html>'],
    [404, 'application/json', '{"error":"no such route"}'],
    [405, 'text/plain', ''],
    [302, 'text/html', ''],
  ])('an endpoint that answers %i %s %j is not one: no document, no empty list', async (status, type, body) => {
    const endpoint = await buckets.between(
      (_path, _method, response) => !!response.writeHead(status, { 'content-type': type }).end(body),
    );
    const [sentence, ...others] = await sentences(openStorage(`s3://bucket?endpoint=${endpoint}`), [
      'read',
      'write',
      'stat',
      'list',
    ]);
    expect(others.length).toBeLessThanOrEqual(1);
    expect(sentence).toMatch(/does not speak S3.*check the endpoint/);
  });

  it.each([
    [500, 'InternalError', '500 InternalError'],
    [502, undefined, '502'],
    [503, 'SlowDown', '503 SlowDown'],
    [503, undefined, '503'],
    [503, SECRET, '503'],
    [504, '', '504'],
    [429, 'TooManyRequests', '429 TooManyRequests'],
    [400, 'RequestTimeout', '400 RequestTimeout'],
  ])('S7: a server that answers %i %s', async (status, code, fault) => {
    const endpoint = await buckets.between((_path, _method, response) =>
      code
        ? s3Error(response, status, code)
        : !!response.writeHead(status, { 'content-type': 'text/html' }).end(code ?? '<html><p>Bad gateway</html>'),
    );
    expect(await sentences(openStorage(`s3://bucket?endpoint=${endpoint}`))).toEqual([
      `The bucket 'bucket' at ${endpoint} does not answer as it should (${fault}): ` +
        'see that its server works, and is neither overloaded nor out of reach.',
    ]);
  });

  it('S7: a server that takes requests and never answers, before the time of an activity is over', async () => {
    expect(LIMITS.tries * LIMITS.answerMs).toBeLessThan(100_000);
    let requests = 0;
    const endpoint = await buckets.between(() => {
      requests++;
      return true;
    });
    const address = parseBucketUrl(`s3://bucket?endpoint=${endpoint}`, {});
    const storage = new BucketStorage(address, { ...LIMITS, answerMs: 200 });
    const [sentence, ...others] = await sentences(storage, ['read', 'write', 'stat', 'list', 'delete']);
    expect(others).toEqual([]);
    expect(sentence).toContain('does not answer as it should (no answer in time)');
    expect(requests).toBe(5 * LIMITS.tries);
  });

  it('S7: a document that stops coming', async () => {
    const endpoint = await buckets.between(
      (_path, _method, response) =>
        response.writeHead(200, { etag: '"x"', 'content-length': '10' }).write('half') || true,
    );
    const address = parseBucketUrl(`s3://bucket?endpoint=${endpoint}`, {});
    const source = await new BucketStorage(address, { ...LIMITS, idleMs: 200 }).read('doc');
    await expect(text(source)).rejects.toMatchObject({
      name: 'StorageUnusable',
      message: expect.stringContaining('does not answer as it should (no answer in time)'),
    });
  });

  it('credentials that are nowhere', async () => {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
    const none = { AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/none', AWS_SHARED_CREDENTIALS_FILE: '/none' };
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) delete process.env[name];
    Object.assign(process.env, none);
    try {
      expect(await sentences(openStorage(await buckets.moto.bucket()))).toEqual([
        expect.stringMatching(/^No credentials were found .*AWS_ACCESS_KEY_ID.*AWS_PROFILE/),
      ]);
    } finally {
      for (const name of Object.keys(none)) delete process.env[name];
      Object.assign(process.env, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
    }
  });
});

describe('seen from a process of its own', () => {
  /** Errors of Node's own are none to the SDK in here, since jest has classes of its own: so from outside. */
  const failureOf = (url: string) =>
    inProcess(
      `require('./dist/src/storage').openStorage(process.argv[1]).read('doc').catch(({ name, kind, code, message }) =>
        console.log(JSON.stringify({ name, kind, code, message })));`,
      url,
    );

  it('an endpoint where nobody listens, that has no name, or that does not speak TLS, is named with its setting', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    for (const endpoint of [nobody, 'https://nowhere.invalid', buckets.moto.endpoint.replace('http:', 'https:')])
      expect(await failureOf(`s3://bucket?endpoint=${endpoint}`)).toMatchObject({
        name: 'StorageUnusable',
        kind: 'unusable',
        message: expect.stringMatching(
          `bucket 'bucket' at ${endpoint} cannot be reached.*endpoint=.*AWS_ENDPOINT_URL_S3`,
        ),
      });
  });

  it('a connection that is lost is named, after it was tried again', async () => {
    let requests = 0;
    const endpoint = await buckets.between((_path, _method, response) => {
      requests++;
      return !!response.socket?.destroy();
    });
    expect(await failureOf(`s3://bucket?endpoint=${endpoint}`)).toMatchObject({
      name: 'StorageUnusable',
      message: expect.stringContaining('does not answer as it should (ECONNRESET)'),
    });
    expect(requests).toBeGreaterThan(1);
  });
});
