import { ResponseFieldError } from '../kernel/response-field-error.js';
import type { Type } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';
import {
  Described,
  NeverTrue,
  ResponseDto,
  Shown,
  UnlessHosted,
  Withheld,
} from './field.decorators.js';
import { audienceOf, composeRedaction, type Audience } from './field-redaction.js';

const AUDIENCES: readonly Audience[] = ['session', 'assistant', 'hosted-assistant'];
const ASSISTANTS = AUDIENCES.slice(1);
const SECRET = 'Redwood Motors';

@ResponseDto('A price.')
class Price {
  @Shown('US cents.', { type: 'integer', isNullable: true }) readonly cents!: number | null;
  @Withheld('Miles.', { type: 'decimal' }) readonly miles!: number | null;
}

@ResponseDto('A question.')
class Question {
  @Shown('Its kind.', { enum: ['question'] }) readonly kind!: 'question';
  @Withheld('The words.', { type: 'text' }) readonly words!: string | null;
}

@ResponseDto('A draft.')
class Draft {
  @Shown('Its kind.', { enum: ['draft'] }) readonly kind!: 'draft';
  @NeverTrue('Whether it is whole.') readonly isWhole?: boolean;
}

@ResponseDto('Every form.')
class Offer {
  @Shown('Id.') readonly id!: string;
  @Described('Name.', 'A car for an assistant.') readonly label!: string;
  @Withheld('Words.', { type: 'text' }) readonly words!: string | null;
  @NeverTrue('Whether the words are whole.') readonly isWhole?: boolean;
  @UnlessHosted('Whether it is a partner.') readonly isPartner?: boolean;
  @Shown('How many.', { type: 'count' }) readonly count!: number;
  @Shown('Which place.', { type: 'positive-count' }) readonly place!: number;
  @Shown('Which request.', { type: 'uuid' }) readonly requestId!: string;
  @Shown('When.', { type: 'time' }) readonly at!: string;
  @Shown('The price.', { type: () => Price }) readonly price!: Price;
  @Shown('Another price.', { type: () => Price, isNullable: true, isOptional: true })
  readonly other?: Price | null;
  @Shown('More prices.', { type: () => Price, isList: true }) readonly prices!: readonly Price[];
  @Shown('Tags.', { type: 'text', isList: true }) readonly tags!: readonly string[];
  @Shown('Items.', { oneOf: { by: 'kind', classes: () => [Question, Draft] }, isList: true })
  readonly items!: readonly (Question | Draft)[];
}

/** A folder contains folders. */
@ResponseDto('A folder.')
class Folder {
  @Withheld('Its name.', { type: 'text' }) readonly name!: string | null;
  @Shown('The folders in it.', { type: () => Folder, isList: true })
  readonly folders!: readonly Folder[];
}

const offer: Offer = {
  id: 'a',
  label: 'Civic',
  words: SECRET,
  isWhole: true,
  isPartner: true,
  count: 0,
  place: 1,
  requestId: '51000000-0000-4000-8000-000000000001',
  at: '2026-03-01T09:00:00Z',
  price: { cents: -1, miles: 2.5 },
  other: null,
  prices: [{ cents: null, miles: null }],
  tags: ['x', ''],
  items: [
    { kind: 'draft', isWhole: true },
    { kind: 'question', words: SECRET },
  ],
};

function redacted(
  value: unknown,
  audience: Audience,
  { dto = Offer, hidden = [] }: { dto?: Type; hidden?: readonly string[] } = {},
): unknown {
  return composeRedaction(dto, audience, new Set(hidden))(value);
}

describe('composeRedaction', () => {
  it('returns every declared field to the buyer’s session', () => {
    expect(redacted(offer, 'session')).toEqual(offer);
  });

  it('returns null to an assistant for what is withheld and false for what is never true', () => {
    expect(redacted(offer, 'assistant')).toEqual({
      ...offer,
      words: null,
      isWhole: false,
      price: { cents: -1, miles: null },
      items: [
        { kind: 'draft', isWhole: false },
        { kind: 'question', words: null },
      ],
    });
  });

  it('leaves out what a hosted assistant does not receive, and differs in nothing else', () => {
    const { isPartner, ...rest } = redacted(offer, 'assistant') as Offer;
    expect(isPartner).toBe(true);
    const theirs = redacted(offer, 'hosted-assistant') as Offer;
    expect(theirs).toEqual(rest);
    expect(Object.keys(theirs)).not.toContain('isPartner');
  });

  it.each(AUDIENCES)('leaves out an absent optional field, for the %s', (audience) => {
    const { isWhole: _whole, isPartner: _partner, other: _other, ...least } = offer;
    const keys = Object.keys(redacted(least, audience) as object);
    expect(keys).toEqual(Object.keys(least));
    const withUndefined = { ...least, isWhole: undefined, isPartner: undefined, other: undefined };
    expect(Object.keys(redacted(withUndefined, audience) as object)).toEqual(keys);
  });

  it.each(AUDIENCES)('copies no undeclared property at any depth, for the %s', (audience) => {
    const more = {
      ...offer,
      more: SECRET,
      toJSON: () => SECRET,
      price: { ...offer.price, more: SECRET },
      prices: [{ ...offer.prices[0], more: SECRET }],
      items: offer.items.map((item) => ({ ...item, more: SECRET })),
    };
    const sent = redacted(more, audience);
    expect(sent).toEqual(redacted(offer, audience));
    expect(JSON.stringify(sent)).not.toContain('more');
  });

  it('selects the branch of a one-of by its discriminator, so that no field of another branch is copied', () => {
    const items = [{ kind: 'draft', isWhole: false, enum: SECRET }];
    expect((redacted({ ...offer, items }, 'session') as Offer).items).toEqual([
      { kind: 'draft', isWhole: false },
    ]);
  });

  it('redacts a class that contains itself', () => {
    const folder: Folder = { name: SECRET, folders: [{ name: SECRET, folders: [] }] };
    expect(redacted(folder, 'session', { dto: Folder })).toEqual(folder);
    expect(redacted(folder, 'assistant', { dto: Folder })).toEqual({
      name: null,
      folders: [{ name: null, folders: [] }],
    });
  });

  it('makes new objects and lists, and leaves those of the handler unchanged', () => {
    const value = structuredClone(offer);
    const sent = redacted(value, 'assistant') as Offer;
    expect(value).toEqual(offer);
    expect(sent).not.toBe(value);
    for (const name of ['price', 'prices', 'tags', 'items'] as const) {
      expect(sent[name]).not.toBe(value[name]);
    }
    expect(sent.prices[0]).not.toBe(value.prices[0]);
  });

  it('reads an instance of a class as it reads a plain object', () => {
    class Given {
      get cents(): number {
        return 7;
      }
      readonly miles = 1;
    }
    const sent = redacted(new Given(), 'session', { dto: Price });
    expect(sent).toEqual({ cents: 7, miles: 1 });
    expect(Object.getPrototypeOf(sent)).toBe(Object.prototype);
  });
});

describe('a hidden path', () => {
  it.each(AUDIENCES)('makes a nullable field null, for the %s', (audience) => {
    const hidden = ['Price.cents', 'Offer.words'];
    expect(redacted(offer, audience, { hidden })).toMatchObject({
      words: null,
      price: { cents: null },
      prices: [{ cents: null }],
    });
  });

  it.each(AUDIENCES)('leaves an optional field out, for the %s', (audience) => {
    const hidden = ['Offer.other', 'Offer.isPartner', 'Draft.isWhole'];
    const sent = redacted(offer, audience, { hidden }) as Offer;
    expect(sent).not.toHaveProperty('other');
    expect(sent).not.toHaveProperty('isPartner');
    expect(sent.items[0]).toEqual({ kind: 'draft' });
  });

  it('hides the field of its own class alone', () => {
    const sent = redacted(offer, 'session', { hidden: ['Question.words', 'words', 'Price.label'] });
    expect(sent).toMatchObject({
      words: SECRET,
      label: 'Civic',
      items: [{ kind: 'draft' }, { kind: 'question', words: null }],
    });
  });
});

describe('a value that does not match its declaration', () => {
  const wrong: readonly (readonly [what: string, over: object, message: string])[] = [
    ['an object for a text', { id: { name: SECRET } }, 'text'],
    ['a list for a text', { id: [SECRET] }, 'text'],
    ['null for a text', { id: null }, 'text'],
    ['no value for a text', { id: undefined }, 'text'],
    ['a time as an object', { id: new Date(0) }, 'text'],
    ['a text for a boolean', { isPartner: SECRET }, 'a boolean'],
    ['null for an optional boolean', { isPartner: null }, 'a boolean'],
    ['a fraction for an integer', { price: { cents: 1.5, miles: 1 } }, 'a safe integer'],
    ['an unsafe integer', { price: { cents: 2 ** 53, miles: 1 } }, 'a safe integer'],
    ['a big integer', { price: { cents: 1n, miles: 1 } }, 'a safe integer'],
    ['a fraction for a count', { count: 1.5 }, 'an integer of at least 0'],
    ['a negative count', { count: -1 }, 'an integer of at least 0'],
    ['0 for a place', { place: 0 }, 'an integer of at least 1'],
    ['another text for a UUID', { requestId: 'hello' }, 'a UUID'],
    ['another text for a time', { at: 'yesterday' }, 'a time'],
    ['a date for a time', { at: '2026-03-01' }, 'a time'],
    ['a Date for a time', { at: new Date(0) }, 'a time'],
    ['an infinite decimal', { price: { cents: 1, miles: Infinity } }, 'a number'],
    ['a text for a decimal', { price: { cents: 1, miles: '7' } }, 'a number'],
    ['no value for a nullable field', { words: undefined }, 'text'],
    ['a text for an object', { price: SECRET }, 'an object'],
    ['null for an object', { price: null }, 'an object'],
    ['an object for a list', { tags: { length: 1, 0: SECRET } }, 'a list'],
    ['null for a list', { prices: null }, 'a list'],
    // eslint-disable-next-line no-sparse-arrays -- this list has a hole on purpose
    ['a hole in a list of texts', { tags: [, 'x'] }, 'text'],
    ['an object in a list of texts', { tags: [{ name: SECRET }] }, 'text'],
    ['an unknown word of a one-of', { items: [{ kind: SECRET, enum: SECRET }] }, 'a known kind'],
    ['a one-of without its word', { items: [{ enum: SECRET }] }, 'a known kind'],
    ['null for a one-of', { items: [null] }, 'a known kind'],
  ];

  it.each(wrong)('throws a TypeError without the value: %s', (_what, over, expected) => {
    const message = new RegExp(`^expected ${expected}, got (a |an |other )?\\w+$`);
    const send = () => redacted({ ...offer, ...over }, 'session');
    expect(send).toThrow(TypeError);
    expect(send).toThrow(message);
    expect(send).not.toThrow(SECRET);
  });

  it.each([
    [new Date(0), 'a Date'],
    ['yesterday', 'other text'],
    [['2026-03-01T00:00:00Z'], 'a list'],
    [{ time: SECRET }, 'an object'],
    [0, 'a number'],
    [true, 'a boolean'],
    [null, 'null'],
    [undefined, 'nothing'],
    [1n, 'a bigint'],
  ])('names the type of %p in place of a time', (at, type) => {
    const error = new ResponseFieldError('OfferDto.at', 'a time', at);
    expect(error.message).toBe(`expected a time, got ${type}`);
  });

  it.each([[SECRET], [null], [undefined]])('throws for a result that is %s', (value) => {
    for (const audience of AUDIENCES) {
      expect(() => redacted(value, audience)).toThrow(
        /^expected an object, got (other text|null|nothing)$/,
      );
    }
  });

  it.each(ASSISTANTS)('is never sent in place of what is withheld, to the %s', (audience) => {
    const sent = redacted({ ...offer, words: { name: SECRET }, isWhole: SECRET }, audience);
    expect(sent).toMatchObject({ words: null, isWhole: false });
  });
});

describe('audienceOf', () => {
  const buyer = { buyerId: 'b', scopes: new Set<string>() };
  const assistant = { ...buyer, type: 'assistant', clientId: 'c', seesChanges: false } as const;
  it.each<[Audience, Principal]>([
    ['session', { ...buyer, type: 'session' }],
    ['assistant', { ...assistant, isHosted: false }],
    ['hosted-assistant', { ...assistant, isHosted: true }],
  ])('is %s', (audience, principal) => {
    expect(audienceOf(principal)).toBe(audience);
  });
});
