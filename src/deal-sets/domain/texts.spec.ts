import { ENGLISH } from './texts.js';

const summary = {
  written: 0,
  waiting: 0,
  differentCar: 0,
  ended: 0,
  endedWithPrice: 0,
  closedWithPrice: 0,
};

describe('headerLine', () => {
  it.each([
    [{ ...summary, written: 1, waiting: 2 }, 0, '1 written price, 2 without a written price yet'],
    [{ ...summary, differentCar: 1, ended: 3 }, 4, '1 for a different car, 3 ended'],
    [summary, 2, '2 archived'],
    [summary, 0, 'No dealership has been asked yet'],
  ])('says what there is of %j and %d archived rows', (counts, archived, line) => {
    expect(ENGLISH.headerLine({ ...counts, archived })).toBe(line);
  });
});

describe('statusLabel', () => {
  it('says that a row ended with a written price', () =>
    expect(ENGLISH.status({ state: 'ended', ended: 'closed_with_price' })).toBe(
      'Ended with a written price',
    ));
});
