import { resourceName, spellingsOf } from './resource-name.js';

describe('the name of a resource', () => {
  it.each(['https://a.example', 'https://a.example:8443', 'http://127.0.0.1:3000', 'http://[::1]'])(
    'is the same with and without a slash: %s',
    (name) => {
      expect(resourceName(`${name}/`)).toBe(name);
      expect(resourceName(name)).toBe(name);
      expect(spellingsOf(name)).toEqual([name, `${name}/`]);
    },
  );

  it.each([
    'https://a.example/mcp',
    'https://a.example/mcp/',
    'https://a.example//',
    'https://a.example/?',
    'https://a.example/#',
    'https://A.example',
    'https://a.example:443',
    'HTTPS://a.example/',
    'https:///',
    'urn:deal-sets:api',
    'urn:deal-sets:api/',
    'api://0b7d3c52/',
    'deal-sets/',
    '/',
    '',
  ])('is otherwise the text itself: %s', (name) => {
    expect(resourceName(name)).toBe(name);
  });

  it.each(['https://a.example/mcp', 'urn:deal-sets:api', 'api://0b7d3c52', 'deal-sets'])(
    'has one spelling: %s',
    (name) => expect(spellingsOf(name)).toEqual([name]),
  );
});
