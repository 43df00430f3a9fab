import { createHash } from 'node:crypto';
import { MultipartReader } from '../../src/sandbox/multipart';

/** Almost a boundary, several times. */
const content = 'a\r\n--edg\r\n\r\n-\r\n--edg e\r\n--';
const body = Buffer.from(
  [
    '--edge',
    'Content-Disposition: form-data; name="fileName"',
    '',
    'Bericht 2024.txt',
    '--edge',
    'Content-Disposition: form-data; name="file"; filename="r%22é.txt"',
    'Content-Type: text/plain',
    '',
    content,
    '--edge--',
    '',
  ].join('\r\n'),
);

describe('a multipart body', () => {
  it('is read alike wherever the connection cuts it into pieces', () => {
    for (let size = 1; size <= body.length; size++) {
      const reader = new MultipartReader('edge');
      for (let start = 0; start < body.length; start += size) reader.write(body.subarray(start, start + size));
      expect(reader.end()).toEqual([
        expect.objectContaining({ name: 'fileName', fileName: undefined, text: 'Bericht 2024.txt' }),
        {
          name: 'file',
          fileName: 'r"é.txt',
          contentType: 'text/plain',
          size: Buffer.byteLength(content),
          sha256: createHash('sha256').update(content).digest('hex'),
          text: '',
        },
      ]);
    }
  });

  it.each([
    ['ends early', body.subarray(0, -10)],
    ['has a part without a name', Buffer.from('--edge\r\n\r\nx\r\n--edge--')],
    ['is something else', Buffer.from('{}')],
  ])('is refused when it %s', (_, bytes) => {
    const reader = new MultipartReader('edge');
    expect(() => {
      reader.write(bytes);
      reader.end();
    }).toThrow();
  });
});
