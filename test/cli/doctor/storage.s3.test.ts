import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkStorage } from '../../../src/cli/doctor/check-storage';
import { openStorage } from '../../../src/storage';
import { type Moto, startMoto } from '../../support/moto';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'doctor-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('doctor on the storage', () => {
  it('writes, lists, reads and removes a document in a folder, and leaves nothing', async () => {
    expect(await checkStorage(`file://${folder}/new`)).toEqual({
      area: 'storage',
      name: 'documents',
      state: 'ok',
      found: `the folder ${folder}/new: written, listed, read back, not written twice, and removed`,
    });
    expect(await readdir(join(folder, 'new'))).toEqual([]);
  });

  it('says where nothing can be written, why, and what to do', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await checkStorage(`file://${folder}/file/below`)).toMatchObject({
      state: 'wrong',
      found: expect.stringMatching(/^the storage cannot be written to: .*ENOTDIR/),
      mend: expect.stringContaining('STORAGE_URL'),
    });
  });

  describe('in a bucket', () => {
    let moto: Moto;
    const environment = { ...process.env };
    beforeAll(async () => {
      moto = await startMoto();
      Object.assign(process.env, moto.env, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' });
    }, 600_000);
    afterAll(async () => {
      process.env = environment;
      await moto?.close();
    });

    it('does the same', async () => {
      const url = await moto.bucket('below');
      expect(await checkStorage(url)).toMatchObject({ state: 'ok', found: expect.stringContaining(moto.endpoint) });
      for await (const { ref } of openStorage(url).list()) throw new Error(`${ref} is left`);
    });

    it('says which setting mends what is wrong', async () => {
      expect(await checkStorage(`s3://no-such-bucket?endpoint=${moto.endpoint}`)).toEqual({
        area: 'storage',
        name: 'documents',
        state: 'wrong',
        found: `There is no bucket 'no-such-bucket' at ${moto.endpoint}`,
        mend: "create it, or correct the bucket in the storage's URL (STORAGE_URL)",
      });
    });
  });
});
