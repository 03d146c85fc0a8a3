import { sessionCookieValue } from './session-cookie.js';

const NAME = '__Host-session';
const VALUE = 'abcdefghijklmnop';

describe('the session cookie of a Cookie header', () => {
  it.each([
    ['alone', `${NAME}=${VALUE}`],
    ['among others', `a=1; ${NAME}=${VALUE}; b=2`],
    ['without blanks', `a=1;${NAME}=${VALUE};b`],
    ['beside one whose name only ends so', `x${NAME}=zzzzzzzzzzzzzzzzzzzz; ${NAME}=${VALUE}`],
    ['beside one behind U+00A0', `\u00a0${NAME}=zzzzzzzzzzzzzzzzzzzz; ${NAME}=${VALUE}`],
    ['between blanks and tabs', `a=1; \t ${NAME} =\t${VALUE} ;b`],
    ['beside one of another case', `__host-session=zzzzzzzzzzzzzzzzzzzz; ${NAME}=${VALUE}`],
    ['beside one that holds it as a value', `a=${NAME}; ${NAME}=${VALUE}`],
  ])('is found %s', (_where, header) => {
    expect(sessionCookieValue(header, NAME)).toBe(VALUE);
  });

  it('keeps the text after a further equals sign', () => {
    expect(sessionCookieValue(`${NAME}=${VALUE}==`, NAME)).toBe(`${VALUE}==`);
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['other cookies', 'a=1; b=2'],
    ['another case', `__host-session=${VALUE}`],
    ['a name alone', NAME],
    ['a name behind U+00A0', `\u00a0${NAME}=${VALUE}`],
    ['a name before U+00A0', `${NAME}\u00a0=${VALUE}`],
    ['a value behind U+00A0', `${NAME}=\u00a0${VALUE}`],
    ['no value', `${NAME}=`],
    ['15 octets', `${NAME}=${'a'.repeat(15)}`],
    ['4,097 octets', `${NAME}=${'a'.repeat(4097)}`],
    ['quotes around it', `${NAME}="${VALUE}"`],
    ['a blank inside', `${NAME}=abcdefgh ijklmnop`],
    ['a comma', `${NAME}=${VALUE},x`],
    ['a backslash', `${NAME}=${VALUE}\\x`],
    ['a control character', `${NAME}=${VALUE}\u0007`],
    ['a letter beyond ASCII', `${NAME}=${VALUE}é`],
    ['two of the name', `${NAME}=${VALUE}; ${NAME}=${'z'.repeat(16)}`],
    ['two of the name, alike', `${NAME}=${VALUE}; ${NAME}=${VALUE}`],
    ['two of the name, the first impossible', `${NAME}=x; ${NAME}=${VALUE}`],
  ])('is absent with %s', (_what, header) => {
    expect(sessionCookieValue(header, NAME)).toBeUndefined();
  });

  it.each([16, 4096])('may have %i octets', (length) => {
    expect(sessionCookieValue(`${NAME}=${'a'.repeat(length)}`, NAME)).toHaveLength(length);
  });
});
