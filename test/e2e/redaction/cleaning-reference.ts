/**
 * The rule by which a listing's parts are compared with the dealerships of a request, written a second
 * time, in plain JavaScript and apart from the database's own: what the two say is compared.
 */

/** HTML's references as far as the tests write them; the others that occur stand for no letter. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  AMP: '&',
  eacute: 'é',
  Eacute: 'É',
  ntilde: 'ñ',
  szlig: 'ß',
  nbsp: ' ',
  shy: '\u00ad',
  lt: '<',
  gt: '>',
  quot: '"',
  copy: ' ',
  Scaron: 'Š',
  zwj: '\u200d',
  zwnj: '\u200c',
  num: '#',
  commat: '@',
  period: '.',
  colon: ':',
  sol: '/',
};
const WITHOUT_SEMICOLON = [
  'amp',
  'AMP',
  'eacute',
  'Eacute',
  'ntilde',
  'szlig',
  'nbsp',
  'shy',
  'lt',
  'gt',
  'quot',
  'copy',
];
/** The letters that Windows-1252 has where Latin-1 has control characters. */
const WINDOWS_1252: Readonly<Record<number, string>> = {
  131: 'ƒ',
  138: 'Š',
  140: 'Œ',
  142: 'Ž',
  153: '™',
  154: 'š',
  156: 'œ',
  158: 'ž',
  159: 'Ÿ',
};

function numericCharacter(reference: string): string {
  const isHex = /^#x/i.test(reference);
  const code = Number.parseInt(reference.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  if (code >= 128 && code < 160) return WINDOWS_1252[code] ?? ' ';
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : ' ';
}

function decodedOnce(text: string): string {
  return text.replace(
    /&(#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*)(;?)/g,
    (all, reference: string, semicolon: string) => {
      if (reference.startsWith('#')) return numericCharacter(reference);
      const named = semicolon && NAMED[reference];
      if (named) return named;
      const legacy = WITHOUT_SEMICOLON.filter((name) => reference.startsWith(name)).sort(
        (a, b) => b.length - a.length,
      )[0];
      if (legacy === undefined) return all;
      const rest = reference.slice(legacy.length);
      return `${NAMED[legacy] ?? ''}${rest}${rest === '' ? '' : semicolon}`;
    },
  );
}

export function decoded(text: string): string {
  const next = decodedOnce(text);
  return next === text ? text : decoded(next);
}

/** The value of a decimal digit of any script: digits come in runs of ten. */
function digitValue(digit: string): string {
  let code = digit.codePointAt(0) ?? 0;
  let value = 0;
  for (; /\p{Nd}/u.test(String.fromCodePoint(code - 1)); code -= 1) value += 1;
  return String(value % 10);
}

const asciiDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => (/[0-9]/.test(digit) ? digit : digitValue(digit)));

/** A text as a person reads it. */
export function plain(text: string): string {
  return asciiDigits(
    decoded(text)
      .normalize('NFKC')
      .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, ''),
  );
}

/** The words of a text as they are compared. */
export function words(text: string): string[] {
  const folded = asciiDigits(
    decoded(text)
      .replace(/[™℠]/g, ' ')
      .normalize('NFKC')
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKD')
      .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
      .replaceAll('ς', 'σ'),
  ).replaceAll('&', ' and ');
  return folded.match(/[\p{L}\p{Nd}]+/gu) ?? [];
}

export interface Identity {
  readonly name: string;
  readonly phone?: string | null;
  readonly email?: string | null;
  readonly website?: string | null;
}

interface Keys {
  readonly whole: readonly string[];
  readonly loose: readonly string[];
}

const joined = (text: string): string => words(text).join('');
const signsOf = (text: string): string => plain(text).replace(/[\s\p{Cc}]+/gu, '');

function nationalNumber(phone: string): string {
  const digits = joined(phone).replace(/[^0-9]/g, '');
  return digits.length > 10 ? digits.replace(/^0*1?/, '').slice(0, 10) : digits;
}

function hostOf(website: string): string {
  const address = plain(website).trim().toLowerCase();
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#@]*@)?(?:www\.)?([^/?#:]+)/.exec(address)?.[1] ?? '';
}

function registeredDomain(host: string): string {
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length < 2 || /^[0-9]*$/.test(last)) return '';
  const isGeneral = /^(co|com|net|org|gov|ac|edu)$/.test(labels.at(-2) ?? '');
  return labels.slice(isGeneral ? -3 : -2).join('.');
}

/** Legal forms in folded words. */
const LEGAL_FORMS = ['llc', 'l l c', 'inc', 'corp', 'co', 'ltd', 'gmbh', 'g m b h'].map((form) =>
  form.split(' '),
);

/** The name's words without a legal form at its end. */
function nameWords(name: string): string[] {
  const all = words(name);
  let kept = all;
  for (;;) {
    const form = LEGAL_FORMS.find(
      (one) => kept.length >= one.length + 2 && kept.slice(-one.length).join(' ') === one.join(' '),
    );
    if (!form) break;
    kept = kept.slice(0, -form.length);
  }
  return kept.length < all.length && kept.at(-1) === 'and' ? all : kept;
}

/** The name with which listings of every request are compared, if it is one. */
export function recordName(name: string): string | null {
  const kept = nameWords(name);
  return kept.length >= 2 && kept.length <= 8 ? kept.join(' ') : null;
}

const knownKeys = new Map<string, Keys>();

function keysOf(identity: Identity): Keys {
  const { name, phone, email, website } = identity;
  const id = JSON.stringify([name, phone, email, website]);
  const keys = knownKeys.get(id) ?? computeKeys(identity);
  knownKeys.set(id, keys);
  return keys;
}

function computeKeys({ name, phone, email, website }: Identity): Keys {
  const nameKey = nameWords(name).join('');
  const emailKey = joined(email ?? '');
  const mailDomain = /@([^@\s>]+\.[^@\s>.]+)/.exec(plain(email ?? '').trim())?.[1] ?? '';
  const isFree = /^(gmail|yahoo|outlook|hotmail|icloud|aol)\./i.test(mailDomain);
  const number = nationalNumber(phone ?? '');
  const spelled = joined(phone ?? '');
  const isSpelled = /[^0-9]/.test(spelled) && /[0-9]{3}/.test(spelled) && spelled.length >= 7;
  const host = hostOf(website ?? '');
  return {
    whole: [
      nameKey === '' ? signsOf(name) : nameKey,
      joined(host),
      joined(registeredDomain(host)),
      emailKey,
      isFree ? '' : joined(mailDomain),
      number.length >= 7 ? number : '',
      isSpelled ? spelled.replace(/^1/, '') : '',
    ].filter((key) => key !== ''),
    loose: [
      nameWords(name).length > 1 && nameKey.length >= 10 ? nameKey : '',
      emailKey.length >= 10 ? emailKey : '',
      number.length === 10 ? number : '',
    ].filter((key) => key !== ''),
  };
}

/** Whether a part of a listing carries an identifier of one of the dealerships of its request. */
export function tells(part: string, dealerships: readonly Identity[]): boolean {
  const run = words(part);
  const whole = run.join('');
  return dealerships.some((dealership) => {
    const keys = keysOf(dealership);
    if (whole === '') return keys.whole.includes(signsOf(part));
    if (keys.whole.includes(whole) || keys.loose.some((key) => whole.includes(key))) return true;
    return run.some((_word, from) =>
      run.some(
        (_last, to) =>
          to >= from &&
          keys.whole.some((key) => key.length > 2 && key === run.slice(from, to + 1).join('')),
      ),
    );
  });
}

/** Whether a part carries one of the names on record, as whole words. */
export function carriesName(part: string, names: readonly string[]): boolean {
  const line = ` ${words(part).join(' ')} `;
  return names.some((name) => {
    const glued = name.replaceAll(' ', '');
    return line.includes(` ${name} `) || (glued.length >= 10 && line.includes(` ${glued} `));
  });
}

const GAP = String.raw`[\u0001-\u0020\u007f-\u00a0\u1680\u2028\u2029()./·•∙⋅・\u2010-\u2015\u2212-]`;
const PHONE = new RegExp(
  String.raw`(?<![0-9])(\+?1${GAP}{0,3})?\(?[0-9]{3}${GAP}{0,3}[0-9]{3}${GAP}{0,3}[0-9]{4}(?![0-9])`,
);

function hasVin(text: string): boolean {
  return Array.from(text).some((_character, from) => {
    const run = Array.from(text).slice(from, from + 17);
    return (
      run.length === 17 &&
      run.every((character) => /[A-HJ-NPR-Z0-9]/i.test(character) && character < '\u0080') &&
      run.filter((character) => /[0-9]/.test(character)).length >= 4
    );
  });
}

/** Whether a part has the form of a contact or of a VIN. */
export function hasPattern(part: string): boolean {
  const text = plain(part);
  return (
    /[^ \t-\r@]@[^ \t-\r@]+\.[^ \t-\r@.]/.test(text) ||
    /[a-z][a-z0-9+.-]*:\/\//i.test(text) ||
    /(?<![a-z0-9])www\./i.test(text) ||
    /[\p{L}\p{Nd}]\.(\p{L}{2,}|xn--[a-z0-9-]+)(:[0-9]+)?\//iu.test(text) ||
    PHONE.test(text) ||
    hasVin(text)
  );
}

/** Whether a number of a listing, as it is or as a label rounds it, is a key of one of the dealerships. */
export function tellsNumber(forms: readonly number[], dealerships: readonly Identity[]): boolean {
  return dealerships.some((dealership) =>
    forms.some((form) => keysOf(dealership).whole.includes(String(form))),
  );
}

export interface LabelParts {
  readonly color: string | null;
  readonly year: number | null;
  readonly make: string | null;
  readonly model: string | null;
  readonly trim: string | null;
}

/** What is left of the parts that lie side by side, each of which identifies no dealership by itself. */
export function withoutJoinedNames(
  parts: LabelParts,
  dealerships: readonly Identity[],
): LabelParts {
  const together = (...line: readonly (string | number | null)[]): boolean =>
    tells(line.filter((part) => part !== null).join(' '), dealerships);
  const { color, year, make, model, trim } = parts;
  const label = {
    color: together(color, year) ? null : color,
    model: together(color, year, model) ? null : model,
    trim: together(color, year, model, trim) ? null : trim,
  };
  return {
    year,
    color: label.color,
    make: together(year, make) ? null : make,
    model: together(year, make, label.model) ? null : label.model,
    trim: together(year, make, label.model, label.trim) ? null : label.trim,
  };
}

/** A message with the words between blanks replaced that identify a dealership; null when none do. */
export function masked(
  text: string,
  dealerships: readonly Identity[],
  names: readonly string[],
): string | null {
  const tokens = [
    ...text.matchAll(
      /([^ \t-\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+)(.*?)(?=[^ \t-\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|$)/gsu,
    ),
  ];
  const spoken = tokens.flatMap((token, place) =>
    words(token[1] ?? '').map((word) => ({ word, place })),
  );
  const hit = new Set<number>();
  const hitAll = (from: number, to: number): void => {
    for (const { place } of spoken.slice(from, to + 1)) hit.add(place);
  };
  const keys = dealerships.map(keysOf);
  const all = spoken.map(({ word }) => word).join('');
  const whole = keys.flatMap((key) => key.whole);
  tokens.forEach((token, place) => {
    const isContact = hasPattern(token[1] ?? '');
    if (isContact || whole.includes(all === '' ? signsOf(text) : all)) hit.add(place);
  });
  for (let from = 0; from < spoken.length; from += 1) {
    for (let to = from; to < spoken.length; to += 1) {
      const run = spoken.slice(from, to + 1).map(({ word }) => word);
      const glued = run.join('');
      const isName = names.some(
        (name) =>
          name === run.join(' ') ||
          (run.length === 1 && glued.length >= 10 && glued === name.replaceAll(' ', '')),
      );
      if (isName || (glued.length > 2 && whole.includes(glued))) hitAll(from, to);
    }
    const { word } = spoken[from]!;
    if (keys.some((key) => key.loose.some((loose) => word.includes(loose)))) hitAll(from, from);
  }
  // A telephone number in several words: every run of tokens that has the form, and loses it when shortened.
  const line = (from: number, to: number): string =>
    tokens
      .slice(from, to + 1)
      .map((token) => plain(token[1] ?? ''))
      .join(' ');
  const phoneIn = (from: number, to: number): boolean => PHONE.test(line(from, to));
  for (let from = 0; from < tokens.length; from += 1) {
    for (let to = from; to < Math.min(tokens.length, from + 8); to += 1) {
      if (!phoneIn(from, to) || phoneIn(from + 1, to) || phoneIn(from, to - 1)) continue;
      // With a country code in one of the words before it, from which at most three separators part it.
      const hasCode = (first: number): boolean =>
        first >= 0 && (PHONE.exec(line(first, to))?.index ?? Infinity) < line(first, first).length;
      const first = [from - 3, from - 2, from - 1].find(hasCode) ?? from;
      for (let place = first; place <= to; place += 1) hit.add(place);
    }
  }
  if (hit.size === 0) return null;
  const before = text.slice(0, tokens[0]?.index);
  const rest = tokens
    .map(([, token = '', gap = ''], place) => {
      if (!hit.has(place)) return `${token}${gap}`;
      if (hit.has(place + 1)) return '';
      return `•••${/[^.,!?:]([.,!?:]+)$/.exec(token)?.[1] ?? ''}${gap}`;
    })
    .join('');
  return `${before}${rest}`;
}
