import type { ImportRecord } from 'deal-sets/operations';
import { CAR_MODELS } from './car-catalogue.js';
import { SeededRandom, seededUuid } from './seeded-random.js';

/** A place with dealerships: its ZIP code and telephone area code. */
export interface Place {
  readonly city: string;
  readonly zip: string;
  readonly areaCode: string;
}

export const PLACES: readonly Place[] = [
  { city: 'Fremont', zip: '94538', areaCode: '510' },
  { city: 'Sacramento', zip: '95825', areaCode: '916' },
  { city: 'San Diego', zip: '92111', areaCode: '858' },
  { city: 'Portland', zip: '97230', areaCode: '503' },
  { city: 'Bellevue', zip: '98005', areaCode: '425' },
  { city: 'Boise', zip: '83704', areaCode: '208' },
  { city: 'Salt Lake City', zip: '84115', areaCode: '801' },
  { city: 'Denver', zip: '80222', areaCode: '303' },
  { city: 'Scottsdale', zip: '85260', areaCode: '480' },
  { city: 'Albuquerque', zip: '87110', areaCode: '505' },
  { city: 'Plano', zip: '75093', areaCode: '972' },
  { city: 'Austin', zip: '78745', areaCode: '512' },
  { city: 'Houston', zip: '77090', areaCode: '281' },
  { city: 'Tulsa', zip: '74133', areaCode: '918' },
  { city: 'Omaha', zip: '68144', areaCode: '402' },
  { city: 'Des Moines', zip: '50322', areaCode: '515' },
  { city: 'Bloomington', zip: '55420', areaCode: '952' },
  { city: 'Madison', zip: '53713', areaCode: '608' },
  { city: 'Naperville', zip: '60540', areaCode: '630' },
  { city: 'St. Louis', zip: '63126', areaCode: '314' },
  { city: 'Nashville', zip: '37211', areaCode: '615' },
  { city: 'Louisville', zip: '40218', areaCode: '502' },
  { city: 'Cincinnati', zip: '45246', areaCode: '513' },
  { city: 'Dublin', zip: '43017', areaCode: '614' },
  { city: 'Ann Arbor', zip: '48103', areaCode: '734' },
  { city: 'Pittsburgh', zip: '15237', areaCode: '412' },
  { city: 'Buffalo', zip: '14221', areaCode: '716' },
  { city: 'White Plains', zip: '10601', areaCode: '914' },
  { city: 'Paramus', zip: '07652', areaCode: '201' },
  { city: 'Hartford', zip: '06114', areaCode: '860' },
  { city: 'Danvers', zip: '01923', areaCode: '978' },
  { city: 'Manchester', zip: '03103', areaCode: '603' },
  { city: 'Fairfax', zip: '22030', areaCode: '703' },
  { city: 'Richmond', zip: '23235', areaCode: '804' },
  { city: 'Raleigh', zip: '27616', areaCode: '919' },
  { city: 'Charleston', zip: '29407', areaCode: '843' },
  { city: 'Marietta', zip: '30060', areaCode: '770' },
  { city: 'Orlando', zip: '32808', areaCode: '407' },
  { city: 'Tampa', zip: '33612', areaCode: '813' },
  { city: 'Birmingham', zip: '35216', areaCode: '205' },
];

const FAMILIES = [
  'Abernathy',
  'Bexley',
  'Carrow',
  'Dunmore',
  'Ellsworth',
  'Farrier',
  'Gallant',
  'Haverford',
  'Ingleby',
  "O'Dell",
  'Kestrel',
  'Lindqvist',
  'McCardle',
  'Northrup',
  'Okafor',
  'Peñaloza',
  'Quintero',
  'Rossiter',
  'Stadler',
  'Thackeray',
  'Umber',
  'Vasquez',
  'Whitcomb',
  'Yarrow',
  'Zimmer',
];
const LANDMARKS = [
  'Lakeside',
  'Valley',
  'North Shore',
  'Crossroads',
  'Riverbend',
  'Summit',
  'Gateway',
  'Capitol',
];

/** A dealership of a made-up world. */
export interface MadeDealership {
  readonly record: Extract<ImportRecord, { record: 'dealership' }>;
  readonly host: string;
}

/** Dealership number `index` of the world, named the ways real ones are. */
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

/** Dealerships that follow each other are neighbours. */
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
