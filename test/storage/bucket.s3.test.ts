import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { openStorage } from '../../src/storage';
import { bucketOf, inProcess, PAGE, useBuckets } from './bucket';
import { behavesAsStorage, listed, mebibytes } from './contract';

const buckets = useBuckets();

behavesAsStorage(async () => {
  const prefix = 'our/documents/';
  const url = await buckets.moto.bucket(prefix);
  const Bucket = bucketOf(url);
  const beside = ['our/secret.txt', 'our/documents2/secret.txt'];
  await Promise.all(beside.map((Key) => buckets.s3.send(new PutObjectCommand({ Bucket, Key, Body: 'secret' }))));
  const keys = async (ours: boolean) =>
    (await buckets.keysIn(Bucket)).filter(([key]) => key.startsWith(prefix) === ours);
  return {
    storage: openStorage(url),
    inside: async () => (await keys(true)).map(([key]) => key.slice(prefix.length)),
    outside: async () => Object.fromEntries(await keys(false)),
  };
});

describe('a bucket', () => {
  it('may be used whole, and shows nothing that is no reference', async () => {
    const url = await buckets.moto.bucket();
    const Bucket = bucketOf(url);
    for (const Key of ['folder/', 'a//b', '/c', 'd\\e'])
      await buckets.s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    const storage = openStorage(url);
    await storage.write('a/doc', 'x');
    expect(await listed(storage)).toEqual([{ ref: 'a/doc', size: 1 }]);
    expect((await buckets.keysIn(Bucket)).map(([key]) => key)).toContain('a/doc');
  });

  it('is listed over as many pages as it takes', async () => {
    const storage = openStorage(await buckets.moto.bucket('below'));
    const refs = Array.from({ length: 3 * PAGE + 2 }, (_, i) => `doc-${i}`).toSorted();
    await Promise.all(refs.map((ref) => storage.write(ref, ref)));
    expect(await listed(storage)).toEqual(refs.map((ref) => ({ ref, size: ref.length })));
  });

  it.each([0, 6])('keeps the content type of a document of %i MiB', async (size) => {
    const url = await buckets.moto.bucket('below');
    await openStorage(url).write('doc', mebibytes(size), { contentType: 'text/html; charset=utf-8' });
    const head = await buckets.s3.send(new HeadObjectCommand({ Bucket: bucketOf(url), Key: 'below/doc' }));
    expect(head.ContentType).toBe('text/html; charset=utf-8');
  });

  it('tells a person where a document is, and what it is itself', async () => {
    const storage = openStorage(await buckets.moto.bucket('our/documents'));
    expect(storage.urlOf('Q3 plan.pdf')).toMatch(/^s3:\/\/test-[0-9a-f-]+\/our\/documents\/Q3 plan\.pdf$/);
    expect(storage.describe()).toMatch(
      /^the bucket 'test-[0-9a-f-]+' at http:\/\/127\.0\.0\.1:\d+, below our\/documents\/$/,
    );
  });

  it('takes no key that is longer than S3 allows', async () => {
    const storage = openStorage(await buckets.moto.bucket('p'.repeat(100)));
    const ref = Array.from({ length: 5 }, () => 'r'.repeat(199)).join('/');
    await expect(storage.write(ref, 'x')).rejects.toMatchObject({ kind: 'refused' });
  });
});

describe('in a process of its own', () => {
  it('200 MiB go through with less than 60 MiB more in memory', async () => {
    const script = `
      const { openStorage } = require('./dist/src/storage');
      const MIB = 1024 * 1024;
      require('node:v8').setFlagsFromString('--expose-gc');
      const collect = require('node:vm').runInNewContext('gc');
      // What is held, not what a busy machine has not yet collected.
      let most = 0;
      const held = () => { const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };
      const look = () => { collect(); most = Math.max(most, held()); };
      const piece = Buffer.alloc(MIB, 'x');
      async function* source(count) { for (let i = 0; i < count; i++) { if (i % 10 === 9) look(); yield piece; } }
      async function main() {
        const storage = openStorage(process.argv[1]);
        for (let i = 0; i < 2; i++) { await storage.write('doc', source(6)); for await (const _ of await storage.read('doc')); }
        collect();
        const before = held();
        const { size } = await storage.write('doc', source(200));
        let read = 0;
        for await (const chunk of await storage.read('doc')) {
          if (Math.floor((read + chunk.length) / (10 * MIB)) > Math.floor(read / (10 * MIB))) look();
          read += chunk.length;
        }
        console.log(JSON.stringify({ size, read, grown: (most - before) / MIB }));
      }
      main();`;
    const seen = await inProcess(script, await buckets.moto.bucket());
    expect(seen).toMatchObject({ size: 200 * 1024 * 1024, read: 200 * 1024 * 1024 });
    expect((seen as { grown: number }).grown).toBeLessThan(60);
  });

  it('a storage in a folder, and one in a bucket before its first use, load no SDK', async () => {
    const script = `
      const { openStorage } = require('./dist/src/storage');
      openStorage('/tmp'); openStorage(process.argv[1]).describe();
      console.log(Object.keys(require.cache).filter((file) => file.includes('@aws-sdk')).length);`;
    expect(await inProcess(script, await buckets.moto.bucket())).toBe(0);
  });
});
