import { redisErrorWord } from './redis-error-word.js';

describe('redisErrorWord', () => {
  it.each([
    ['WRONGPASS invalid username-password pair or user is disabled.', 'WRONGPASS'],
    ['MOVED 8000 10.0.0.7:6379', 'MOVED'],
    ['LOADING', 'LOADING'],
    ["OOM command not allowed when used memory > 'maxmemory'. script: 5a", 'OOM'],
  ])('returns the first word of %s', (message, word) => {
    expect(redisErrorWord(message)).toBe(word);
  });

  it.each(['SECRET 1', 'wrongpass x', '', ' NOAUTH', 'NOAUTH: x', 'constructor'])(
    'returns no word of its own for "%s"',
    (message) => {
      expect(redisErrorWord(message)).toBe('other');
    },
  );
});
