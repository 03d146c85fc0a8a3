import { assistantName } from './assistant-name.js';

describe('the name of an assistant', () => {
  it.each([
    ['as it is', 'Car Scout', 'Car Scout'],
    ['in one line', ' Car\n\tScout\u2028', 'Car Scout'],
    ['without characters that change the direction of text', '\u202eelppA\u202c', 'elppA'],
    ['without invisible characters', 'Car\u200b\u00adScout', 'Car Scout'],
    ['cut at a whole character', '🚗'.repeat(70), '🚗'.repeat(60)],
    ['by its id when it has none', undefined, 'https://a.example/client'],
    ['by its id when none is visible', ' \u200b\u2066 ', 'https://a.example/client'],
  ])('is shown %s', (_how, name, shown) => {
    expect(assistantName(name, 'https://a.example/client')).toBe(shown);
  });
});
