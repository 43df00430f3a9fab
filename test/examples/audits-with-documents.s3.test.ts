import { type Moto, startMoto } from '../support/moto';
import { playAudits } from './audits-with-documents.suite';

test('audits-with-documents has an S3 server of its own, which ends with it', async () => {
  const { stdout, stderr } = await playAudits({ STORAGE_URL: '' });
  expect(stdout).toMatch(/the bucket '\S+' at http:\/\/127\.0\.0\.1:\d+, below clients\/ has harbour\/hours\.csv/);
  expect(stdout).toMatch(/^report +s3:\/\/.*\/report\.html$/m);
  expect(stderr).not.toContain('No S3 server');
});

describe('with STORAGE_URL', () => {
  let moto: Moto;
  beforeAll(async () => {
    moto = await startMoto();
  });
  afterAll(() => moto.close());

  test('it uses a new folder of that bucket', async () => {
    const [bucket = ''] = (await moto.bucket('ours')).split('?');
    const url = `${bucket}?endpoint=${moto.endpoint}`;
    const { stdout } = await playAudits({ ...moto.env, STORAGE_URL: url }, [moto.endpoint]);
    expect(stdout).toMatch(new RegExp(`^report +${bucket}/example-\\d+/accounts/default/audits/`, 'm'));
  });
});
