/** Names of fewer letters than this are part of many ordinary words. */
const SHORTEST = 4;

/**
 * Returns the letters and digits of a text as lower-case words: `O’Hara’s Honda` as ` o hara s
 * honda `. Spelling, accents and punctuation make no difference.
 */
function wordsOf(text) {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return ` ${plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}

/** Returns the digits of a text in one piece if only blanks and punctuation divide them. */
const joinedDigits = (text) => text.replace(/(?<=\d)[\s().+-]+(?=\d)/g, '');

/** Returns the last ten digits of a telephone number, without the country code. */
const numberOf = (phone) => phone.replace(/\D/g, '').slice(-10);

/** Returns the host of a website without `www.`, or undefined if there is none. */
function hostOf(website) {
  const address = /^[a-z]+:\/\//i.test(website) ? website : `https://${website}`;
  return URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, '') : undefined;
}

/**
 * What no response to an assistant of one buyer may contain: the names, telephone numbers, e-mail
 * addresses and hosts of the buyer's dealerships, and the buyer's ZIP codes.
 */
export class WithheldWords {
  /** The names that are not searched, with the reason. */
  notSearched = new Map();
  /** Pairs of what is searched for, and whether one value of a response contains it. */
  #tests = [];

  /** @param buyer a line of the file that `buyers.sql` makes. */
  constructor({ zips, cars, dealerships }) {
    const carWords = new Set(cars.map(wordsOf));
    for (const { name, phone, email, website } of dealerships) {
      this.#addName(name, carWords);
      if (phone) {
        const number = numberOf(phone);
        if (number.length >= 7) this.#add(phone, (value) => joinedDigits(value).includes(number));
      }
      if (email) this.#addPart(email);
      const host = website && hostOf(website);
      if (host) this.#addPart(host);
    }
    // A ZIP code is also a price in cents or the end of an id, so it counts as a whole value only.
    for (const zip of zips) this.#add(`ZIP code ${zip}`, (value) => value.trim() === zip);
  }

  /** Returns what a response contains, as the operator's file spells it. */
  findIn(values) {
    return this.#tests.filter(([, isIn]) => values.some(isIn)).map(([what]) => what);
  }

  #addName(name, carWords) {
    const words = wordsOf(name);
    const letters = words.replace(/[^\p{L}]/gu, '').length;
    if (letters < SHORTEST) {
      this.notSearched.set(name, `shorter than ${SHORTEST} letters`);
    } else if (carWords.has(words)) {
      this.notSearched.set(name, 'the make or the model of a requested car');
    } else this.#add(name, (value) => wordsOf(value).includes(words));
  }

  #addPart(part) {
    const lower = part.toLowerCase();
    this.#add(part, (value) => value.toLowerCase().includes(lower));
  }

  #add(what, isIn) {
    this.#tests.push([what, isIn]);
  }
}

/**
 * Returns every value of a response as text: header values, strings, numbers, and names of members.
 * The text of an MCP result that is JSON itself is read, too.
 */
export function valuesOf(headers, body) {
  return [...[...headers].map(([, value]) => value), ...valuesIn(parsed(body))];
}

function valuesIn(value) {
  if (typeof value === 'string') {
    const inner = /^\s*[[{]/.test(value) ? parsed(value) : value;
    return typeof inner === 'string' ? [inner] : valuesIn(inner);
  }
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, member]) => [name, ...valuesIn(member)]);
  }
  return [String(value)];
}

/** Returns the text itself if it is not JSON. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
