import type { ImportRecord } from 'deal-sets/operations';
import { demoId } from './demo-people.js';

/** The dealerships of the demo world, by the names the rest of it uses. */
export const DEMO_DEALERSHIPS = {
  hamilton: demoId('1d', 1),
  bexley: demoId('1d', 2),
  lakeside: demoId('1d', 3),
  carrow: demoId('1d', 4),
  crossroads: demoId('1d', 5),
  stadler: demoId('1d', 6),
  riverbend: demoId('1d', 7),
  okafor: demoId('1d', 8),
} as const;

type DealershipRecord = Extract<ImportRecord, { record: 'dealership' }>;

function dealership(
  id: string,
  name: string,
  line: string,
  verifiedPartner: boolean | null,
): DealershipRecord {
  const host = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '')}.example`;
  return {
    record: 'dealership',
    id,
    name,
    phone: `(513) 555-${line}`,
    email: `sales@${host}`,
    website: `https://www.${host}`,
    verifiedPartner,
  };
}

export const DEMO_DEALERSHIP_RECORDS: readonly DealershipRecord[] = [
  dealership(DEMO_DEALERSHIPS.hamilton, 'Honda of Hamilton', '0111', true),
  dealership(DEMO_DEALERSHIPS.bexley, 'Bexley Honda', '0122', false),
  dealership(DEMO_DEALERSHIPS.lakeside, 'Lakeside Honda', '0133', true),
  dealership(DEMO_DEALERSHIPS.carrow, 'Carrow Auto Group', '0144', null),
  dealership(DEMO_DEALERSHIPS.crossroads, 'Crossroads Toyota', '0155', true),
  dealership(DEMO_DEALERSHIPS.stadler, 'Stadler Jeep', '0166', false),
  dealership(DEMO_DEALERSHIPS.riverbend, 'Riverbend Motors, Inc.', '0177', null),
  dealership(DEMO_DEALERSHIPS.okafor, 'Okafor Toyota of Dayton', '0188', false),
];
