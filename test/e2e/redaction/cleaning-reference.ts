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
  shy: ' ',
  lt: ' ',
  gt: ' ',
  quot: ' ',
  copy: ' ',
  Scaron: 'Š',
  zwj: ' ',
  num: ' ',
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

/** The words of a text as they are compared. */
export function words(text: string): string[] {
  const folded = decoded(text)
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ');
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

function nationalNumber(phone: string): string {
  const digits = joined(phone).replace(/[^0-9]/g, '');
  return digits.length > 10 ? digits.replace(/^0*1?/, '').slice(0, 10) : digits;
}

function hostOf(website: string): string {
  const address = decoded(website).trim().toLowerCase();
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#@]*@)?(?:www\.)?([^/?#:]+)/.exec(address)?.[1] ?? '';
}

function keysOf({ name, phone, email, website }: Identity): Keys {
  const nameKey = joined(name);
  const signs = decoded(name)
    .normalize('NFKC')
    .replace(/[\s\p{Cc}]+/gu, '');
  const emailKey = joined(email ?? '');
  const number = nationalNumber(phone ?? '');
  const spelled = joined(phone ?? '');
  const isSpelled = /[^0-9]/.test(spelled) && /[0-9]{3}/.test(spelled) && spelled.length >= 7;
  return {
    whole: [
      nameKey === '' ? signs : nameKey,
      joined(hostOf(website ?? '')),
      emailKey,
      number.length >= 7 ? number : '',
      isSpelled ? spelled.replace(/^1/, '') : '',
    ].filter((key) => key !== ''),
    loose: [
      words(name).length > 1 && nameKey.length >= 10 ? nameKey : '',
      emailKey.length >= 10 ? emailKey : '',
      number.length === 10 ? number : '',
    ].filter((key) => key !== ''),
  };
}

/** Whether a part of a listing tells who one of the dealerships is. */
export function tells(part: string, dealerships: readonly Identity[]): boolean {
  const run = words(part);
  const whole = run.join('');
  const signs = decoded(part)
    .normalize('NFKC')
    .replace(/[\s\p{Cc}]+/gu, '');
  return dealerships.some((dealership) => {
    const keys = keysOf(dealership);
    if (whole === '') return keys.whole.includes(signs);
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

/** Whether a number of a listing, as it is or as a label rounds it, is a key of one of the dealerships. */
export function tellsNumber(forms: readonly number[], dealerships: readonly Identity[]): boolean {
  return dealerships.some((dealership) =>
    forms.some((form) => keysOf(dealership).whole.includes(String(form))),
  );
}

export interface LabelParts {
  readonly color: string | null;
  readonly year: number | null;
  readonly model: string | null;
  readonly trim: string | null;
}

/** What is left of the parts that a label puts side by side, each of them honest by itself. */
export function untold(parts: LabelParts, dealerships: readonly Identity[]): LabelParts {
  const together = (...line: readonly (string | number | null)[]): boolean =>
    tells(line.filter((part) => part !== null).join(' '), dealerships);
  const { color, year, model, trim } = parts;
  return {
    year,
    color: together(color, year) ? null : color,
    model: together(color, year, model) ? null : model,
    trim: together(color, year, model, trim) ? null : trim,
  };
}
