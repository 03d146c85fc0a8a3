import type { RecordTypes } from '@deal-sets/service/operations';
import { demoId } from './demo-people.js';

/**
 * The name, the last digits of the telephone number, and the Verified partner flag of each
 * dealership, by the key that the other files of the demo world use.
 */
const DEALERSHIPS = {
  hamilton: ['Honda of Hamilton', '0111', true],
  bexley: ['Bexley Honda', '0122', false],
  lakeside: ['Lakeside Honda', '0133', true],
  carrow: ['Carrow Auto Group', '0144', null],
  crossroads: ['Crossroads Toyota', '0155', true],
  stadler: ['Stadler Jeep', '0166', false],
  riverbend: ['Riverbend Motors, Inc.', '0177', null],
  okafor: ['Okafor Toyota of Dayton', '0188', false],
} as const;

/** The ids of the dealerships by key. */
export const DEMO_DEALERSHIPS = Object.fromEntries(
  Object.keys(DEALERSHIPS).map((key, at) => [key, demoId('1d', at + 1)]),
) as Readonly<Record<keyof typeof DEALERSHIPS, string>>;

/** The dealerships as import records. */
export const DEMO_DEALERSHIP_RECORDS = Object.values(DEALERSHIPS).map(
  ([name, line, verifiedPartner], at): { record: 'dealership' } & RecordTypes['dealership'] => {
    const host = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '')}.example`;
    return {
      record: 'dealership',
      id: demoId('1d', at + 1),
      name,
      phone: `(513) 555-${line}`,
      email: `sales@${host}`,
      website: `https://www.${host}`,
      verifiedPartner,
    };
  },
);
