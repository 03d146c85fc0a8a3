import type { Span } from './folded-text.js';
import { spansOf } from './spans-of.js';

const STATE_CODES =
  'A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]';
const STATE_NAMES =
  'Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming';
/**
 * A state with its ZIP code: a code in capitals after a comma or a capitalized word of three
 * letters or more, or a name after a comma.
 */
const STATE_AND_ZIP = new RegExp(
  String.raw`(?:,[\s(]{0,4}(?=\p{Lu})|(?<!\p{L})\p{Lu}[\p{L}'’-]{2,40}\.?[\s(]{1,4}(?=(?:${STATE_CODES})(?!\p{L})))(?<contact>(?:${STATE_CODES}|${STATE_NAMES})[\s.,)-]{0,4}\p{Nd}{5}(?:(?:\s?[-\u2010-\u2015\u2212]\s?)?\p{Nd}{4})?)(?!\p{Nd})`,
  'gu',
);

/** Words for a street. Those in `CERTAIN` also count after a name in lower case. */
const CERTAIN =
  'street|st|avenue|ave|road|rd|boulevard|blvd|parkway|pkwy|highway|hwy|lane|ln|drive';
const IS_CERTAIN = new RegExp(`^(?:${CERTAIN})$`, 'i');
const STREET_WORDS = String.raw`${CERTAIN}|dr|court|ct|place|pl|circle|cir|way|plaza|square|sq|terrace|ter|turnpike|tpke|pike|freeway|fwy|expressway|expy|loop|(?:trail|trl)(?!\s+(?:boss|rated))`;
const WORD = String.raw`[\p{L}\p{Nd}][\p{L}\p{Nd}.'’-]{0,24}`;
const HIGHWAYS = 'highway|hwy|route|rte|county road|state road';
/** A number, and the number of a highway, or up to five words and a word for a street. */
const STREETS = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,$#-])(?<number>\p{Nd}{1,6}(?:-\p{Nd}{1,4})?-?[A-Za-z]?),?\s{1,3}(?:(?:${WORD}\s{1,3}){0,2}?(?:${HIGHWAYS})\.?\s{1,2}\p{Nd}{1,4}(?![\p{L}\p{N}])|(?<name>(?:${WORD}\s{1,3}){1,5}?)(?<street>${STREET_WORDS})(?![\p{L}\p{N}])\.?|broadway(?![\p{L}\p{N}]))(?:\s{1,2}[NS]?[EW]?(?![\p{L}\p{N}]))?`,
  'giu',
);

/** Words before `drive` that show that it is not a street: "test drive", "5 minute drive". */
const NO_DRIVE = /(?:wheel|test|electric|[afr4]wd|4x4|minute|min|hour|mile|mi|day)s?$/iu;
const MODEL_YEAR = /^(?:19|20)\p{Nd}{2}$/u;
const TRAIL = /^tr(?:ai)?l$/iu;
const AVENUE_MODELS = /^(?:park|fifth)$/iu;
/** Words that do not occur in a street name in lower case. */
const COMMON_WORDS = new Set(
  'a an the of in on at by to and or for from with per no any all this that your our my its is are was be day days hour hours minute minutes month months mile miles week weeks year years more other either half out only'.split(
    ' ',
  ),
);
const isCapitalized = (word: string): boolean => /^[\p{Lu}\p{Nd}]/u.test(word);

/** Finds street addresses and states with a ZIP code. */
export function* findPostalAddresses(plain: string): Generator<Span> {
  yield* spansOf(plain, STATE_AND_ZIP);
  yield* findStreets(plain);
}

function* findStreets(plain: string): Generator<Span> {
  STREETS.lastIndex = 0;
  for (let found = STREETS.exec(plain); found; found = STREETS.exec(plain)) {
    const { 0: whole, index, groups } = found;
    const { number = '', name, street = '' } = groups ?? {};
    if (name === undefined || isStreet(number, name.trim().split(/\s+/), street)) {
      yield [index, index + whole.trimEnd().length];
    } else {
      // The street's own number can follow: "the 2024 Civic at 4021 Larkmeadow Parkway".
      STREETS.lastIndex = index + number.length;
    }
  }
}

function isStreet(number: string, name: readonly string[], street: string): boolean {
  const last = name.at(-1) ?? '';
  if (NO_DRIVE.test(last)) return false;
  // In "2024 Civic 4 Dr", "Dr" means doors.
  if (/^dr$/i.test(street) && /^\p{Nd}$/u.test(last)) return false;
  const isModelYear = MODEL_YEAR.test(number);
  if (isModelYear && (AVENUE_MODELS.test(last) || TRAIL.test(street))) return false;
  // "2013 Ford Focus ST" and "2 Lexus CT" are cars.
  if (/^(?:ST|CT)$/.test(street) && (isModelYear || name.some((word) => /\p{Ll}/u.test(word)))) {
    return false;
  }
  if ([...name, street].every(isCapitalized)) return true;
  const isPlain = name.length <= 2 && !name.some((word) => COMMON_WORDS.has(word.toLowerCase()));
  return isPlain && IS_CERTAIN.test(street);
}
