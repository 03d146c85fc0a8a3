/**
 * PostgreSQL's text of a `timestamptz` in a session whose time zone is UTC, as the service writes times:
 * `2026-11-20 10:00:00.1234+00` becomes `2026-11-20T10:00:00.123Z`. Cutting text costs a tenth of what
 * parsing a Date and printing it does.
 */
export function isoFromPg(text: string): string {
  if (text.length < 22 || !text.endsWith('+00')) return new Date(text).toISOString();
  const fraction = text.charCodeAt(19) === 46 /* . */ ? text.slice(20, -3).slice(0, 3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

export function nullableIsoFromPg(text: string | null): string | null {
  return text === null ? null : isoFromPg(text);
}
