import { createHash } from 'node:crypto';
import { FormReader } from '../../src/sandbox/multipart';

/** Almost a boundary, several times. */
const content = 'a\r\n--edg\r\n\r\n-\r\n--edg e\r\n--';
const body = Buffer.from(
  [
    '--edge',
    'Content-Disposition: form-data; name="fileName"',
    '',
    'Bericht 2024.txt',
    '--edge',
    'Content-Disposition: form-data; name="file"; filename="a/r%22é.txt"',
    'Content-Type: text/plain',
    '',
    content,
    '--edge--',
    '',
  ].join('\r\n'),
);
const reader = () => new FormReader({ 'content-type': 'multipart/form-data; boundary=edge' });

describe('a multipart body', () => {
  it('is read alike wherever the connection cuts it into pieces', async () => {
    for (let size = 1; size <= body.length; size++) {
      const form = reader();
      for (let start = 0; start < body.length; start += size) form.write(body.subarray(start, start + size));
      expect(await form.end()).toEqual({
        fields: new Map([['fileName', 'Bericht 2024.txt']]),
        files: [
          {
            name: 'file',
            fileName: 'a/r"é.txt',
            contentType: 'text/plain',
            size: Buffer.byteLength(content),
            sha256: createHash('sha256').update(content).digest('hex'),
          },
        ],
      });
    }
  });

  it.each([
    ['ends early', body.subarray(0, -10)],
    ['is something else', Buffer.from('{}')],
    ['is empty', Buffer.alloc(0)],
  ])('is refused when it %s', async (_, bytes) => {
    const form = reader();
    const read = async () => {
      form.write(bytes);
      return form.end();
    };
    await expect(read()).rejects.toMatchObject({ status: 400 });
  });

  it('is refused where its headers announce another one', () => {
    expect(() => new FormReader({ 'content-type': 'application/json' })).toThrow('multipart/form-data');
  });

  it('is refused where a field is too long', async () => {
    const form = reader();
    form.write(body.subarray(0, 60));
    form.write(Buffer.alloc(100_000, 'x'));
    form.write(body.subarray(60));
    await expect(form.end()).rejects.toThrow('too long');
  });
});
