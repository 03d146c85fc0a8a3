import { STANDARD_TEXTS } from '../domain/texts.js';
import { hidesFrom } from '../../response-shape/field-rule.js';
import { textsOf } from './display-texts.js';
import { withEqualPricesOrdered } from './row-order.js';

/** What an `async` function returns that fails: its rejection must be taken, or a host's process ends. */
class Rejected {
  isTaken = false;

  // It takes the place of a promise.
  then(_resolve: unknown, reject: (error: Error) => void): void {
    this.isTaken = typeof reject === 'function';
    reject(new Error('words of the buyer'));
  }
}

const taken = async (rejected: Rejected): Promise<boolean> => {
  await new Promise((resolve) => setImmediate(resolve));
  return rejected.isTaken;
};

describe('a part of a team that is async where it must not be', () => {
  it('as a display text gives way to the service’s text', async () => {
    const rejected = new Rejected();
    const failures: string[] = [];
    const texts = textsOf({ status: () => rejected as never }, (text) => failures.push(text));
    expect(texts.status('waiting', null)).toBe(STANDARD_TEXTS.status('waiting', null));
    expect([failures, await taken(rejected)]).toEqual([['status'], true]);
  });

  it('as an order leaves the rows as they are', async () => {
    const rejected = new Rejected();
    const rows = [1, 2, 3].map((id) => ({ id, otdCents: 5 }));
    const failures: unknown[] = [];
    const groups = withEqualPricesOrdered(
      [{ trim: null, rows }] as never,
      () => rejected,
      (error) => failures.push(error),
    );
    expect(groups).toEqual([{ trim: null, rows }]);
    expect([failures.length, await taken(rejected)]).toEqual([1, true]);
  });

  it('as a redaction rule hides', async () => {
    const rejected = new Rejected();
    expect(hidesFrom({ from: () => rejected as never }, {} as never)).toBe(true);
    expect(await taken(rejected)).toBe(true);
  });
});
