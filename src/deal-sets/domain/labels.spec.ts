import { UNKNOWN_LISTING as unknown } from '../../../test/builders/arbitrary-facts.js';
import type { ListedFacts } from './facts.js';
import { ENGLISH } from './english-texts.js';
import { carLabel, carText, fallbackLabel, shortCarLabel } from './labels.js';

const known: ListedFacts = {
  year: 2024,
  model: 'Civic',
  trim: 'EX',
  exteriorColor: 'Silver',
  mileage: 12_349,
  listedAtCents: 2_450_050,
};

describe('carLabel', () => {
  it('names color, year, model, trim, approximate miles and the listed price', () => {
    expect(carLabel(ENGLISH, known)).toBe(
      'Silver 2024 Civic EX, about 12,300 miles, listed at $24,501',
    );
  });

  it.each([
    ['exteriorColor', 'Silver '],
    ['year', '2024 '],
    ['model', 'Civic '],
    ['trim', ' EX'],
    ['mileage', ', about 12,300 miles'],
    ['listedAtCents', ', listed at $24,501'],
  ])('leaves out an unknown %s', (fact, words) => {
    const whole = carLabel(ENGLISH, known);
    expect(carLabel(ENGLISH, { ...known, [fact]: null })).toBe(whole?.replace(words, ''));
  });

  it.each([
    [0, 'almost no miles'],
    [49, 'almost no miles'],
    [50, 'about 100 miles'],
    [149, 'about 100 miles'],
    [150, 'about 200 miles'],
    [99_960, 'about 100,000 miles'],
  ])('rounds %d miles to the nearest hundred', (mileage, words) => {
    expect(carLabel(ENGLISH, { ...unknown, mileage })).toBe(words);
  });

  it.each([
    [100, '$1'],
    [99_949, '$999'],
    [99_950, '$1,000'],
    [12_345_600, '$123,456'],
    [1_000_000_000, '$10,000,000'],
  ])('shows a list price of %d cents in whole dollars', (listedAtCents, dollars) => {
    expect(carLabel(ENGLISH, { ...unknown, listedAtCents })).toBe(`listed at ${dollars}`);
  });

  it.each([
    ['CR-V', 'CR-V EX-L', '2026 CR-V EX-L'],
    ['CR-V', 'cr-v  EX-L', '2026 CR-V EX-L'],
    ['CR-V', 'CR-V', '2026 CR-V'],
    ['CR-V', 'EX-L CR-V', '2026 CR-V EX-L CR-V'],
    ['500', '500L Trekking', '2026 500 500L Trekking'],
    ['3', '330i', '2026 3 330i'],
    [null, 'CR-V EX-L', '2026 CR-V EX-L'],
  ])('names the model %s once before the trim %s', (model, trim, label) => {
    expect(carLabel(ENGLISH, { ...unknown, year: 2026, model, trim })).toBe(label);
    expect(shortCarLabel(ENGLISH, { ...unknown, year: 2026, model, trim })).toBe(label);
  });

  it('keeps a repeated model where the color would otherwise precede the rest of the trim', () => {
    // The listing is compared with dealership names as "Red Rock Rock Motors". Without the repeated
    // model, the label would be "Red Rock Motors", which was never compared.
    const listing = { ...unknown, exteriorColor: 'Red', model: 'Rock', trim: 'Rock Motors' };
    expect(carLabel(ENGLISH, listing)).toBe('Red Rock Rock Motors');
    expect(carLabel(ENGLISH, { ...listing, year: 2026 })).toBe('Red 2026 Rock Motors');
    expect(shortCarLabel(ENGLISH, listing)).toBe('Rock Motors');
  });

  it('is one line in one direction for any listing', () => {
    const trim = '\u202eEX\r\nService-More: true\u0007 \u2066Sport\u2069';
    expect(carLabel(ENGLISH, { ...unknown, year: 2024, trim })).toBe(
      '2024 EX Service-More: true  Sport',
    );
    expect(carLabel(ENGLISH, { ...unknown, trim: '\u0001\u202e' })).toBeNull();
  });

  it('is null when nothing is known', () => {
    expect(carLabel(ENGLISH, unknown)).toBeNull();
  });
});

describe('shortCarLabel', () => {
  it('names year, model and trim, and is null when none is known', () => {
    expect(shortCarLabel(ENGLISH, known)).toBe('2024 Civic EX');
    const bare = { ...known, year: null, model: null, trim: '\u202e' };
    expect(shortCarLabel(ENGLISH, bare)).toBeNull();
  });
});

describe('fallbackLabel', () => {
  it('names year and model in one line, but nothing of a different car', () => {
    const car = { year: 2026, model: 'Out\r\nback' };
    expect(fallbackLabel(ENGLISH, { answer: null }, car)).toBe('2026 Out back');
    expect(fallbackLabel(ENGLISH, { answer: 'different_car' }, car)).toBe('Car');
  });
});

describe('carText', () => {
  it('rounds miles to the nearest hundred and never shows exact ones', () => {
    const { mileage: _mileage, ...shown } = known;
    expect(carText(known)).toEqual({ ...shown, aboutMiles: 12_300 });
    expect(carText(unknown).aboutMiles).toBeNull();
  });
});

describe('headerLine', () => {
  const summary = {
    written: 0,
    waiting: 0,
    differentCar: 0,
    ended: 0,
    endedWithPrice: 0,
    closedWithPrice: 0,
  };
  it.each([
    [{ written: 1, waiting: 2 }, 0, '1 written price, 2 without a written price yet'],
    [{ differentCar: 1, ended: 3 }, 4, '1 for a different car, 3 ended'],
    [{}, 2, '2 archived'],
    [{}, 0, 'No dealership has been asked yet'],
  ])('describes what %j contains, with %d archived rows', (counts, archived, line) => {
    expect(ENGLISH.headerLine({ ...summary, ...counts, archived })).toBe(line);
  });
});

describe('status', () => {
  it('reports that a row ended with a written price', () =>
    expect(ENGLISH.status({ state: 'ended', ended: 'closed_with_price' })).toBe(
      'Ended with a written price',
    ));
});
