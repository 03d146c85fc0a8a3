import type { ImportRecord } from '../../src/operations.js';
import { CAR_MODELS, items } from './car-catalogue.js';
import { SeededRandom, seededUuid } from './seeded-random.js';

/** A place with dealerships: its ZIP code and telephone area code. */
export interface Place {
  readonly city: string;
  readonly zip: string;
  readonly areaCode: string;
}

const PLACES: readonly Place[] = items(`
Fremont 94538 510, Sacramento 95825 916, San Diego 92111 858, Portland 97230 503,
Bellevue 98005 425, Boise 83704 208, Salt Lake City 84115 801, Denver 80222 303,
Scottsdale 85260 480, Albuquerque 87110 505, Plano 75093 972, Austin 78745 512,
Houston 77090 281, Tulsa 74133 918, Omaha 68144 402, Des Moines 50322 515, Bloomington 55420 952,
Madison 53713 608, Naperville 60540 630, St. Louis 63126 314, Nashville 37211 615,
Louisville 40218 502, Cincinnati 45246 513, Dublin 43017 614, Ann Arbor 48103 734,
Pittsburgh 15237 412, Buffalo 14221 716, White Plains 10601 914, Paramus 07652 201,
Hartford 06114 860, Danvers 01923 978, Manchester 03103 603, Fairfax 22030 703,
Richmond 23235 804, Raleigh 27616 919, Charleston 29407 843, Marietta 30060 770,
Orlando 32808 407, Tampa 33612 813, Birmingham 35216 205
`).map((text) => {
  const [, city = '', zip = '', areaCode = ''] = /^(.+) (\d{5}) (\d{3})$/.exec(text) ?? [];
  return { city, zip, areaCode };
});

const FAMILIES = items(`
Abernathy, Bexley, Carrow, Dunmore, Ellsworth, Farrier, Gallant, Haverford, Ingleby, O'Dell,
Kestrel, Lindqvist, McCardle, Northrup, Okafor, Peñaloza, Quintero, Rossiter, Stadler, Thackeray,
Umber, Vasquez, Whitcomb, Yarrow, Zimmer
`);
const LANDMARKS = items(
  'Lakeside, Valley, North Shore, Crossroads, Riverbend, Summit, Gateway, Capitol',
);

/** A dealership of a made-up world. */
export interface MadeDealership {
  readonly record: Extract<ImportRecord, { record: 'dealership' }>;
  readonly host: string;
}

/** Returns the dealership with this index, counted from 0. Its name looks like a real one. */
export function makeDealership(seed: string, index: number): MadeDealership {
  const name = `dealership ${index}`;
  const random = new SeededRandom(seed, name);
  const place = placeOf(index);
  const title = titleOf(random, place.city);
  const host = `www.${title.toLowerCase().replace(/[^a-z0-9]+/g, '')}${index}.example`;
  const line = `555-01${String(random.integer(0, 99)).padStart(2, '0')}`;
  return {
    host,
    record: {
      record: 'dealership',
      id: seededUuid(seed, name),
      name: title,
      phone: random.chance(0.95) ? phoneOf(random, place.areaCode, line) : null,
      email: random.chance(0.8) ? `sales@${host.slice(4)}` : null,
      website: random.chance(0.9) ? `https://${host}` : null,
      verifiedPartner: random.chance(0.3) ? random.chance(0.5) : null,
    },
  };
}

/**
 * Returns the place of the dealership with this index. Twelve consecutive dealerships share a
 * place.
 */
export function placeOf(index: number): Place {
  const place = PLACES[Math.floor(index / 12) % PLACES.length];
  if (!place) throw new RangeError('no place');
  return place;
}

function titleOf(random: SeededRandom, city: string): string {
  const { make } = random.pick(CAR_MODELS);
  const family = random.pick(FAMILIES);
  switch (random.integer(0, 7)) {
    case 0:
    case 1:
      return `${make} of ${city}`;
    case 2:
    case 3:
      return `${family} ${make}`;
    case 4:
      return `${family} ${make} of ${city}`;
    case 5:
      return `${random.pick(LANDMARKS)} ${make}`;
    case 6:
      return `${family} Auto Group`;
    default:
      return `${city} ${random.pick(LANDMARKS)} Motors, Inc.`;
  }
}

function phoneOf(random: SeededRandom, areaCode: string, line: string): string {
  return random.pick([
    `(${areaCode}) ${line}`,
    `${areaCode}-${line}`,
    `+1 ${areaCode} ${line.replace('-', ' ')}`,
    `${areaCode}.${line.replace('-', '.')} ext. ${random.integer(1, 40)}`,
  ]);
}
