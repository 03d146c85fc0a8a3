import { tells, type Identity } from './cleaning-reference.js';
import { cleaningWorld, fremont, plain } from './cleaning-world.js';

const { shownOf, requestOf } = cleaningWorld();

describe('an honest part stays', () => {
  it.each<[string, string, Partial<Identity>]>([
    ['a word of a name', 'Honda', { name: 'Honda of Fremont' }],
    ['the words of a name in another order', 'Fremont Honda', { name: 'Honda of Fremont' }],
    ['a word that contains a short name', 'Avalon', { name: 'A' }],
    ['words among which a short name is one', 'A 4 quattro', { name: 'A' }],
    ['a word that contains a name of one word', 'Fordham Edition', { name: 'Ford' }],
    ['a number that is part of a phone', '0100', { phone: '(510) 555-0100' }],
    ['a domain that ends alike', 'lake.example', { website: 'https://snowlake.example' }],
    ['signs beside a name of signs', '★★', { name: '★★★' }],
    ['what a phone that is none says', 'none given', { phone: 'none' }],
    ['an ampersand that is no reference', 'Town & Country', { name: 'Zebra & Quarry' }],
    ['an unknown reference', 'EX &nosuch; L', {}],
  ])('%s', async (_what, text, identity) => {
    const whole = { name: 'Zebra Quarry', ...identity };
    expect(tells(text, [whole])).toBe(false);
    expect((await shownOf((await requestOf({ trim: text }, whole)).id)).trim).toBe(text);
  });

  it('beside another that no label puts next to it', async () => {
    const listing = { exteriorColor: 'Honda of', year: 2024, model: 'Fremont', make: 'Fremont' };
    const { id } = await requestOf(listing, { name: 'Honda of Fremont' });
    expect(await shownOf(id)).toMatchObject({
      color: 'Honda of',
      year: 2024,
      model: 'Fremont',
      make: 'Fremont',
    });
  });

  it('without the blanks around it, and is unknown when it is nothing else', async () => {
    const { id } = await requestOf(
      {
        make: ' \t\n',
        model: '\u200b\u00a0 Civic \u2003',
        trim: '\u2060\u3000\ufeff',
        exteriorColor: '',
      },
      plain,
    );
    expect(await shownOf(id)).toMatchObject({
      make: null,
      model: 'Civic',
      trim: null,
      color: null,
    });
  });

  it('in letters of another alphabet that look alike: they are different letters', async () => {
    const { id } = await requestOf({ trim: 'Ноnda оf Frеmоnt' }, fremont);
    expect((await shownOf(id)).trim).toBe('Ноnda оf Frеmоnt');
  });
});
