import tlds from 'tlds' with { type: 'json' };
import { foldText } from './folded-text.js';

/**
 * The host endings that count wherever they end a word, however they are written.
 * `deal_sets.has_host` in `sql/listings.sql` has the same list.
 */
export const COMMON_ENDINGS = ['com', 'net', 'org', 'us', 'io', 'co', 'cars', 'biz', 'info'];

/**
 * The other endings that count in hosts of listings; here they count in hosts that are spelled out.
 */
export const CAR_ENDINGS = ['auto', 'car', 'dealer', 'shop', 'store', 'app', 'dev', 'ca'];

/**
 * The top-level domains that are English words. A capitalized one after a dot is more often the
 * beginning of a sentence than the end of a host ("It is available.It has…").
 */
const ENGLISH_WORDS = new Set(
  `
  abb able academy accountant accountants actor ad ads adult aero agency ally am analytics
  apartments app army art as associates at attorney auction audio author auto autos baby band
  bank bar bargains baseball basketball be beats beauty beer best bet bible bid bike bingo
  bio black blockbuster blog blue boats bond boo book booking bot boutique box broadway
  broker brother build builders business buy buzz by cafe call cam camera camp capital car
  caravan cards care career careers case cash casino cat catering catholic center channel
  charity chat cheap church circle city claims cleaning click clinic clothing cloud club
  coach codes coffee college community company compare computer condos construction
  consulting contact contractors cooking cool coop country coupon coupons courses credit
  cricket crown cruise dance data date dating day deal dealer deals degree delivery delta
  democrat dental dentist desi design dev diamonds diet digital direct directory discount
  discover dish do docs doctor dog domains dot download drive earth eat eco education email
  energy engineer engineering enterprises equipment estate events exchange expert exposed
  express fail faith family fan fans farm farmers fashion fast feedback film final finance
  financial fire fish fishing fit fitness flights florist flowers fly food football forum
  foundation fox free frontier fun fund furniture gallery game games gap garden gay gent gift
  gifts gives giving glass global gold golf goog got gov graphics green grocery group guide
  guitars guru hair hangout health healthcare help here hockey holdings holiday homes horse
  hospital host hosting hot hotels house how ice in industries ing ink institute insurance
  insure international investments is it jewelry jobs jot joy kids kitchen kiwi kosher land
  lat law lawyer lease legal life lifestyle lighting like limited link live living loan loans
  locker locus love luxury man management mango map market marketing markets me med media
  meet meme memorial men menu mil mini mint mobile money monster mortgage motorcycles movie
  museum music my name navy network new news next no now observer office one online open
  orange organic origins pa page partners parts party pay pet pharmacy phone photo
  photography photos pics pictures pin ping pink pioneer pizza place play plumbing plus poker
  porn post press prime pro prod productions prof promo properties property protection quest
  racing radio read realtor realty recipes red rehab reliance rent rentals repair report
  republican rest restaurant review reviews rich rip rocks rodeo room rugby run safe safety
  sale salon save scholarships school science scot search seat secure security seek select
  services seven sew sex sexy shell shoes shop shopping show silk singles site ski skin sky
  smart smile so soccer social software solar solutions song soy spa space sport spot star
  storage store stream studio study style sucks supplies supply support surf surgery swiss
  systems tab talk target tattoo tax taxi team tech technology tel tennis theater theatre
  tickets tips tires to today tools top total tours town toys trade trading training travel
  travelers trust tube tunes university ups vacations ventures vet video vig villas vin
  vision vodka vote voting voyage watch watches weather webcam website wed wedding wiki win
  windows wine winners work works world wow xerox yachts yoga you zero zip zone
  `.match(/[a-z]+/g),
);
const COMMON = new Set(COMMON_ENDINGS);
const TOP_LEVEL_DOMAINS = new Set(tlds.map((ending) => foldText(ending).plain.text));

/** The beginning of a label up to its end, or up to a change from lower to upper case. */
const ENDING = /^(?:xn--[a-z0-9-]{1,59}|\p{L}+?)(?=(?<=\p{Ll})\p{Lu}|[^\p{L}\p{N}]|$)/u;

/**
 * Returns the ending of a host at the beginning of a label, in plain characters, or undefined if
 * the label does not begin with one.
 *
 * @param label a label of letters, digits, `-` and `_`, which follows a dot.
 * @param before the label before the dot.
 * @param hasPath whether a `/` follows the label.
 */
export function hostEndingOf(label: string, before: string, hasPath: boolean): string | undefined {
  const ending = ENDING.exec(label)?.[0];
  if (ending === undefined) return undefined;
  const lower = ending.toLowerCase();
  if (COMMON.has(lower) || lower.startsWith('xn--')) return ending;
  if (!TOP_LEVEL_DOMAINS.has(lower)) return undefined;
  if ((hasPath && ending.length === label.length) || !ENGLISH_WORDS.has(lower)) return ending;
  const isCapitalized = /^\p{Lu}\P{Lu}/u.test(ending);
  // "We asked 31500.is it", and a model such as "ID.4", are not hosts either.
  const followsNumber = lower.length === 2 && /^\p{N}+$/u.test(before);
  return isCapitalized || followsNumber ? undefined : ending;
}
