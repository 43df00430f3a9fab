import { openStorage } from '../../src/storage';
import { parseBucketUrl } from '../../src/storage/bucket-url';

const SECRET = 'not-to-be-seen';
const KEY = 'AKIATEST';

describe('the URL of a bucket', () => {
  it.each([
    ['s3://audits', {}, { bucket: 'audits', prefix: '', pathStyle: false }],
    ['S3://audits/', {}, { bucket: 'audits', prefix: '', pathStyle: false }],
    [
      's3://my.audits-2/a/b/',
      { AWS_REGION: 'eu-west-1' },
      { bucket: 'my.audits-2', prefix: 'a/b', region: 'eu-west-1' },
    ],
    ['s3://audits/ünï c', {}, { prefix: 'ünï c' }],
    ['s3://audits?region=eu-central-1', { AWS_REGION: 'x' }, { region: 'eu-central-1' }],
    ['s3://audits?pathStyle=true', {}, { pathStyle: true }],
  ])('%s with %j', (url, env, expected) => {
    expect(parseBucketUrl(url, env)).toMatchObject(expected);
    expect(parseBucketUrl(url, env).endpoint).toBeUndefined();
  });

  it.each([
    ['?endpoint=https://minio.example.com:9000', {}],
    ['?endpoint=https%3A%2F%2Fminio.example.com%3A9000%2F', { AWS_ENDPOINT_URL_S3: 'https://other.example.com' }],
    ['', { AWS_ENDPOINT_URL_S3: 'https://minio.example.com:9000', AWS_ENDPOINT_URL: 'https://other.example.com' }],
    ['', { AWS_ENDPOINT_URL: 'https://minio.example.com:9000' }],
  ])('an endpoint from %j and %j has the path style, and a region that every server takes', (query, env) => {
    expect(parseBucketUrl(`s3://audits/a${query}`, env)).toEqual({
      bucket: 'audits',
      prefix: 'a',
      endpoint: 'https://minio.example.com:9000',
      region: 'us-east-1',
      pathStyle: true,
    });
  });

  it('the path style can be turned off, the region be named', () => {
    const url = 's3://audits?endpoint=https://example.r2.cloudflarestorage.com&pathStyle=false&region=auto';
    expect(parseBucketUrl(url, {})).toMatchObject({ pathStyle: false, region: 'auto' });
  });

  it.each([
    's3:',
    's3:audits',
    's3://',
    's3:///prefix',
    's3://ab',
    's3://Audits',
    's3://audits#part',
    's3://audits//a',
    's3://audits/../b',
    's3://audits/a/..',
    's3://audits/%2e%2e/b',
    's3://audits/a\\b',
    's3://audits?pathStyle=yes',
    's3://audits?endpoint=minio.example.com',
    's3://audits?endpoint=ftp://minio.example.com',
    's3://audits?endpoint=http://minio.example.com:9000',
    's3://audits?endpoint=https://minio.example.com/?x=1',
  ])('%s is refused', (url) => {
    expect(() => openStorage(url, {})).toThrow(expect.objectContaining({ kind: 'refused' }));
  });

  it.each([
    [`s3://${KEY}:${SECRET}@audits/a`, {}],
    [`s3://${KEY}@audits/a`, {}],
    [`s3://${KEY}:${SECRET}`, {}],
    [`s3://audits/a?secretAccessKey=${SECRET}&accessKeyId=${KEY}`, {}],
    [`s3://audits/a?${SECRET}`, {}],
    [`s3://audits/a?endpoint=https://${KEY}:${SECRET}@minio.example.com`, {}],
    [`s3://audits/a?endpoint=https://minio.example.com/?secret=${SECRET}`, {}],
    ['s3://audits/a', { AWS_ENDPOINT_URL: `https://${KEY}:${SECRET}@minio.example.com` }],
    [`s3://audits/a/../${SECRET}`, {}],
  ])('S4: credentials in %s with %j are refused, and not repeated', (url, env) => {
    const refusal = () => openStorage(url, env);
    expect(refusal).toThrow(expect.objectContaining({ kind: 'refused' }));
    expect(refusal).not.toThrow(new RegExp(`${SECRET}|${KEY}`));
  });
});
