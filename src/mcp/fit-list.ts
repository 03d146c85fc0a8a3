import type { ListResult } from '../deal-sets/deal-sets.api.js';

/** Hosts cap what a tool returns; a result of this size in bytes is below the caps that are known. */
export const RESULT_LIMIT = 60 * 1024;

/** From here a client reads everything. */
const BEGINNING = '1970-01-01T00:00:00Z';

interface Entry {
  readonly latestActivityAt: string | null;
}

/**
 * The result of the list tool, cut at a whole entry where it would be over the limit. On a call with
 * `since`, `asOf` is then the time of the last entry that is left, so that the next call continues there:
 * entries of one time stay together, as on a page of REST.
 */
export function fitList({ body, hasMore, asOf }: ListResult): string {
  const whole = `${body.slice(0, -1)},"more":${hasMore},"asOf":${JSON.stringify(asOf)}}`;
  if (Buffer.byteLength(whole) <= RESULT_LIMIT) return whole;

  const { data } = JSON.parse(body) as { readonly data: readonly Entry[] };
  const kept = keptCount(data, asOf !== null);
  const omitted = data.length - kept;
  if (omitted === 0) return whole;
  const next = asOf === null ? BEGINNING : earlier(asOf, data[kept - 1]?.latestActivityAt);
  return JSON.stringify({
    data: data.slice(0, kept),
    more: true,
    asOf: asOf === null ? null : next,
    omitted: { entries: omitted },
    next: { since: next },
  });
}

/** Room for what is said besides the entries. */
const FRAME_BYTES = 256;

function keptCount(data: readonly Entry[], keepsTiesTogether: boolean): number {
  let bytes = FRAME_BYTES;
  let kept = 0;
  for (const [index, entry] of data.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (bytes > RESULT_LIMIT && kept > 0) return kept;
    if (!keepsTiesTogether || isCut(entry, data[index + 1])) kept = index + 1;
  }
  return data.length;
}

/** Whether a call with the time of one entry returns the next: an entry without a time has a place all the same. */
function isCut({ latestActivityAt: time }: Entry, next: Entry | undefined): boolean {
  return (
    !next || (time !== null && next.latestActivityAt !== null && next.latestActivityAt !== time)
  );
}

/** Times as the service writes them compare as texts. */
function earlier(asOf: string, time: string | null | undefined): string {
  return typeof time === 'string' && time < asOf ? time : asOf;
}
