import { ReplyError } from 'ioredis-6';
import { errorFields } from '../observability/error-fields.js';
import { loggableError } from './redis-errors.js';

describe('the code in the log of an error that Redis sent', () => {
  const ErrorOfRedis = ReplyError as new (message: string) => Error;
  const codeOf = (message: string): unknown =>
    errorFields(loggableError(new ErrorOfRedis(message))).errorCode;

  it.each([
    ['WRONGPASS invalid username-password pair or user is disabled.', 'WRONGPASS'],
    ['MOVED 8000 10.0.0.7:6379', 'MOVED'],
    ['LOADING', 'LOADING'],
    ["OOM command not allowed when used memory > 'maxmemory'. script: 5a", 'OOM'],
  ])('is the code at the beginning of %s', (message, code) => {
    expect(codeOf(message)).toBe(code);
  });

  it.each(['buyer-1', 'wrongpass x', '', ' NOAUTH', 'NOAUTH: x', 'constructor'])(
    'is no other word of the message: "%s"',
    (message) => {
      expect(codeOf(message)).toBe('other');
    },
  );
});
