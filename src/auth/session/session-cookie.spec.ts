import { sessionCookieValue } from './session-cookie.js';

const NAME = '__Host-session';
const VALUE = 'abcdefghijklmnop';

/** Returns the session cookie's value of a request with the given Cookie headers. */
const valueIn = (...cookie: string[]): string | undefined => sessionCookieValue({ cookie }, NAME);

describe('the session cookie of a Cookie header', () => {
  it.each([
    ['alone', `${NAME}=${VALUE}`],
    ['among others', `a=1; ${NAME}=${VALUE}; b=2`],
    ['without blanks', `a=1;${NAME}=${VALUE};b`],
    [
      'beside a cookie whose name only ends with the same text',
      `x${NAME}=zzzzzzzzzzzzzzzzzzzz; ${NAME}=${VALUE}`,
    ],
    [
      'beside a cookie with U+00A0 before its name',
      `\u00a0${NAME}=zzzzzzzzzzzzzzzzzzzz; ${NAME}=${VALUE}`,
    ],
    ['between blanks and tabs', `a=1; \t ${NAME} =\t${VALUE} ;b`],
    [
      'beside a cookie whose name is in another case',
      `__host-session=zzzzzzzzzzzzzzzzzzzz; ${NAME}=${VALUE}`,
    ],
    ['beside a cookie whose value is the name', `a=${NAME}; ${NAME}=${VALUE}`],
  ])('is found %s', (_where, header) => {
    expect(valueIn(header)).toBe(VALUE);
  });

  it('keeps the text after a further equals sign', () => {
    expect(valueIn(`${NAME}=${VALUE}==`)).toBe(`${VALUE}==`);
  });

  it.each([
    ['an empty header', ''],
    ['other cookies', 'a=1; b=2'],
    ['a name in another case', `__host-session=${VALUE}`],
    ['a name alone', NAME],
    ['U+00A0 before the name', `\u00a0${NAME}=${VALUE}`],
    ['U+00A0 after the name', `${NAME}\u00a0=${VALUE}`],
    ['U+00A0 before the value', `${NAME}=\u00a0${VALUE}`],
    ['no value', `${NAME}=`],
    ['a value of 15 octets', `${NAME}=${'a'.repeat(15)}`],
    ['a value of 4,097 octets', `${NAME}=${'a'.repeat(4097)}`],
    ['quotes around the value', `${NAME}="${VALUE}"`],
    ['a blank in the value', `${NAME}=abcdefgh ijklmnop`],
    ['a comma in the value', `${NAME}=${VALUE},x`],
    ['a backslash in the value', `${NAME}=${VALUE}\\x`],
    ['a control character in the value', `${NAME}=${VALUE}\u0007`],
    ['a letter beyond ASCII in the value', `${NAME}=${VALUE}é`],
    ['two cookies of the name', `${NAME}=${VALUE}; ${NAME}=${'z'.repeat(16)}`],
    ['two equal cookies of the name', `${NAME}=${VALUE}; ${NAME}=${VALUE}`],
    ['two cookies of the name, the first one invalid', `${NAME}=x; ${NAME}=${VALUE}`],
  ])('is absent with %s', (_what, header) => {
    expect(valueIn(header)).toBeUndefined();
  });

  it('is found in one of several headers, and absent when two headers name it', () => {
    expect(valueIn('a=1', `${NAME}=${VALUE}; b=2`)).toBe(VALUE);
    expect(valueIn(`${NAME}=${VALUE}`, `${NAME}=${VALUE}`)).toBeUndefined();
    expect(valueIn()).toBeUndefined();
  });

  it.each([16, 4096])('accepts a value of %i octets', (length) => {
    expect(valueIn(`${NAME}=${'a'.repeat(length)}`)).toHaveLength(length);
  });
});
