import { LineSplitter, type Line } from './line-splitter.js';

function linesOf(chunks: readonly Buffer[], maxBytes?: number): Line[] {
  const splitter = new LineSplitter(maxBytes);
  return [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()];
}

const text = (value: string): Buffer => Buffer.from(value);

describe('LineSplitter', () => {
  it('numbers lines from 1 and counts the blank ones that it skips', () => {
    expect(linesOf([text('a\n\n  \nb\n')])).toEqual([
      { number: 1, text: 'a' },
      { number: 4, text: 'b' },
    ]);
  });

  it('accepts CRLF, a byte order mark, and a last line without an end', () => {
    expect(linesOf([text('\uFEFFa\r\nb')])).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: 'b' },
    ]);
  });

  it('returns the same lines for any split into chunks, even within a character', () => {
    const bytes = text('äöü\n{"x":"日本"}\n🚗');
    const whole = linesOf([bytes]);
    expect(whole).toHaveLength(3);
    for (let size = 1; size < bytes.length; size += 1) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(linesOf(chunks)).toEqual(whole);
    }
  });

  it('rejects a line that is not UTF-8, and continues with the next', () => {
    const reason =
      'must be text in UTF-8: save the file with this encoding, and unpack a compressed file first';
    expect(linesOf([Buffer.from([0x61, 0xff, 0x0a]), text('b\na\0\n')])).toEqual([
      { number: 1, reason },
      { number: 2, text: 'b' },
      { number: 3, reason },
    ]);
  });

  it('rejects a line over the limit without buffering it, and continues with the next', () => {
    expect(linesOf([text('12345'), text('6789\n1234\n')], 8)).toEqual([
      { number: 1, reason: 'must be no longer than 8 bytes, one JSON object on each line' },
      { number: 2, text: '1234' },
    ]);
  });
});
