import { carText } from './car-label.js';
import { UNKNOWN_LISTING as unknown, type ListedFacts } from './facts.js';
import { carLabel, ENGLISH, requestedCarLabel, shortCarLabel } from './texts.js';

const known: ListedFacts = {
  year: 2024,
  model: 'Civic',
  trim: 'EX',
  exteriorColor: 'Silver',
  mileage: 12_349,
  listedAtCents: 2_450_050,
};

describe('carLabel', () => {
  it('says colour, year, model, trim, about miles and the listed price', () => {
    expect(carLabel(ENGLISH, known, 'Car')).toBe(
      'Silver 2024 Civic EX, about 12,300 miles, listed at $24,501',
    );
  });

  it.each([
    ['exteriorColor', '2024 Civic EX, about 12,300 miles, listed at $24,501'],
    ['year', 'Silver Civic EX, about 12,300 miles, listed at $24,501'],
    ['model', 'Silver 2024 EX, about 12,300 miles, listed at $24,501'],
    ['trim', 'Silver 2024 Civic, about 12,300 miles, listed at $24,501'],
    ['mileage', 'Silver 2024 Civic EX, listed at $24,501'],
    ['listedAtCents', 'Silver 2024 Civic EX, about 12,300 miles'],
  ] as const)('leaves out an unknown %s', (part, label) => {
    expect(carLabel(ENGLISH, { ...known, [part]: null }, 'Car')).toBe(label);
  });

  it.each([
    [0, 'almost no miles'],
    [49, 'almost no miles'],
    [50, 'about 100 miles'],
    [149, 'about 100 miles'],
    [150, 'about 200 miles'],
    [99_960, 'about 100,000 miles'],
  ])('rounds %d miles to the nearest hundred', (mileage, words) => {
    expect(carLabel(ENGLISH, { ...unknown, mileage }, 'Car')).toBe(words);
  });

  it.each([
    ['CR-V', 'CR-V EX-L', '2026 CR-V EX-L'],
    ['CR-V', 'cr-v  EX-L', '2026 CR-V EX-L'],
    ['CR-V', 'CR-V', '2026 CR-V'],
    ['CR-V', 'EX-L CR-V', '2026 CR-V EX-L CR-V'],
    ['500', '500L Trekking', '2026 500 500L Trekking'],
    ['3', '330i', '2026 3 330i'],
    [null, 'CR-V EX-L', '2026 CR-V EX-L'],
  ])('says the model %s once before the trim %s', (model, trim, label) => {
    expect(carLabel(ENGLISH, { ...unknown, year: 2026, model, trim }, 'Car')).toBe(label);
    expect(shortCarLabel(ENGLISH, { ...unknown, year: 2026, model, trim })).toBe(label);
  });

  it('keeps a repeated model where the colour would otherwise precede the rest of the trim', () => {
    // Listings are compared as "Red Rock Rock Motors": "Red Rock Motors" would be a name that no one compared.
    const listing = { ...unknown, exteriorColor: 'Red', model: 'Rock', trim: 'Rock Motors' };
    expect(carLabel(ENGLISH, listing, 'Car')).toBe('Red Rock Rock Motors');
    expect(carLabel(ENGLISH, { ...listing, year: 2026 }, 'Car')).toBe('Red 2026 Rock Motors');
    expect(shortCarLabel(ENGLISH, listing)).toBe('Rock Motors');
  });

  it('is one line in one direction for any listing', () => {
    const trim = '\u202eEX\r\nService-More: true\u0007 \u2066Sport\u2069';
    expect(carLabel(ENGLISH, { ...unknown, year: 2024, trim }, 'Car')).toBe(
      '2024 EX Service-More: true  Sport',
    );
    expect(carLabel(ENGLISH, { ...unknown, trim: '\u0001\u202e' }, 'Car')).toBe('Car');
  });

  it('is the fallback when nothing is known', () => {
    expect(carLabel(ENGLISH, unknown, '2026 Outback')).toBe('2026 Outback');
  });
});

describe('shortCarLabel', () => {
  it('says year, model and trim', () => {
    expect(shortCarLabel(ENGLISH, known)).toBe('2024 Civic EX');
  });
  it('is null when none is known', () => {
    expect(
      shortCarLabel(ENGLISH, { ...known, year: null, model: null, trim: '\u202e' }),
    ).toBeNull();
  });
});

describe('requestedCarLabel', () => {
  const car = { year: 2026, model: 'Outback' };
  it('says year and model', () => {
    expect(requestedCarLabel(ENGLISH, car)).toBe('2026 Outback');
    expect(requestedCarLabel(ENGLISH, { ...car, model: 'Out\r\nback' })).toBe('2026 Out back');
  });
});

describe('carText', () => {
  it('has miles to the nearest hundred, never exact ones', () => {
    expect(carText(known)).toEqual({
      year: 2024,
      model: 'Civic',
      trim: 'EX',
      exteriorColor: 'Silver',
      aboutMiles: 12_300,
      listedAtCents: 2_450_050,
    });
    expect(carText(unknown).aboutMiles).toBeNull();
  });
});
