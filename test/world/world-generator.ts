import type { ImportRecord } from '../../src/operations.js';
import { makeDealership } from './dealership-directory.js';
import { makeBuyer } from './generate-buyer.js';
import type { WorldOptions } from './world-options.js';

/** The approximate number of franchised dealerships in the United States. */
const MAX_DEALERSHIPS = 18_000;
const BATCH_CHARACTERS = 64 * 1024;

/**
 * Generates a made-up world as import records: dealerships, then one buyer after another. Records
 * are generated while they are read, so a large world needs no more memory than a small one. Load
 * the world with `--backfill`.
 */
export function* generateWorld(options: WorldOptions): Generator<ImportRecord> {
  const wanted = Math.max(60, options.rows, Math.ceil(options.buyers / 5));
  const dealerships = Math.max(options.rows, Math.min(MAX_DEALERSHIPS, wanted));
  for (let index = 0; index < dealerships; index += 1) {
    yield makeDealership(options.seed, index).record;
  }
  for (let index = 0; index < options.buyers; index += 1) {
    yield* makeBuyer(options, index, dealerships);
  }
}

/** Generates the world as the text of an import file, in chunks of about 64,000 characters. */
export function* worldText(options: WorldOptions): Generator<string> {
  let text = '';
  for (const record of generateWorld(options)) {
    text += `${JSON.stringify(record)}\n`;
    if (text.length >= BATCH_CHARACTERS) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}
