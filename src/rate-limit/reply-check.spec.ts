import { ReplyCheck } from './reply-check.js';

/** Whether the check accepts the text in chunks of the given size. */
function accepts(text: string, chunkSize: number): boolean {
  const check = new ReplyCheck();
  for (let start = 0; start < text.length; start += chunkSize)
    if (!check.accepts(Buffer.from(text.slice(start, start + chunkSize)))) return false;
  return true;
}

describe('ReplyCheck', () => {
  describe.each([['in one piece', Infinity] as const, ['in single bytes', 1] as const])(
    'of a reply that arrives %s',
    (_how, chunkSize) => {
      it.each([
        ['a line', '+PONG\r\n'],
        ['an error', "-NOAUTH HELLO <proto> AUTH <user> <pass>, or 'AUTH' > $-1\r\n"],
        ['three numbers', '*3\r\n:0\r\n:120\r\n:-5999999\r\n'],
        ['an empty array', '*0\r\n'],
        ['a string with lines', '$37\r\n# Cluster\r\n>1\r\n_\r\ncluster_enabled:0\r\n\r\n'],
        [
          'several replies',
          '+OK\r\n-ERR x\r\n*3\r\n:1\r\n:1\r\n:0\r\n$0\r\n\r\n*3\r\n:1\r\n:2\r\n:0\r\n',
        ],
      ])('accepts %s', (_what, text) => expect(accepts(text, chunkSize)).toBe(true));

      it.each([
        ['a push', '>1\r\n+x\r\n'],
        ['a push after a reply', '+OK\r\n>1\r\n_\r\n'],
        ['a push after a string of a false length', '$1\r\nabc>1\r\n_\r\n'],
        ['a push after half a line break', '+a\rb>1\r\n_\r\n'],
        ['a null', '_\r\n'],
        ['a missing string', '$-1\r\n'],
        ['a missing array', '*-1\r\n'],
        ['a null in an array', '*3\r\n:1\r\n$-1\r\n:0\r\n'],
        ['an array in an array', '*2\r\n:1\r\n*1\r\n:1\r\n'],
        ['a long array', '*4294967295\r\n'],
        ['a long string', '$99999999999\r\n'],
        ['a long line', `+${'x'.repeat(1_001)}\r\n`],
        ['a long line without an end', `+${'x'.repeat(1_001)}`],
        ['a length without digits', '$\r\n\r\n'],
        ['a map', '%1\r\n+a\r\n:1\r\n'],
        ['text that is not a reply', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
      ])('rejects %s', (_what, text) => expect(accepts(text, chunkSize)).toBe(false));
    },
  );
});
