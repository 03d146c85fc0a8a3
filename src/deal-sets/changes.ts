import type { RequestKey, ReplyTally } from './reader/deal-set-reader.js';
import type { Changes, ListEntry } from './dto/list-entry.js';

function requestKey(entry: ListEntry): RequestKey {
  return entry.kind === 'deal_set'
    ? { kind: entry.kind, id: entry.dealSetId }
    : { kind: entry.kind, id: entry.id };
}

/**
 * What a poll tells of an entry besides its fields.
 *
 * @param tallies replies since the poll's time by `kind:id`; null when they could not be looked up.
 */
export function changesOf(
  entry: ListEntry,
  tallies: ReadonlyMap<string, ReplyTally> | null,
): Changes {
  const { kind, id } = requestKey(entry);
  const tally = tallies?.get(`${kind}:${id}`);
  return {
    hasWrittenPrice: entry.lowestWrittenOtdCents !== null,
    newReplies: tally
      ? { status: 'new', count: tally.count, latestAt: tally.latestAt }
      : { status: tallies ? 'none' : 'could_not_check' },
    ended: entry.section === 'inactive',
  };
}
