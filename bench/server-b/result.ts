import { distanceBand, shownDistanceMiles } from '../../src/deal-sets/domain/disclosure.js';
import type { PriceCheckFacts } from '../../src/deal-sets/domain/facts.js';
import { OPENING_CHARACTERS, previewOf } from '../../src/deal-sets/domain/preview.js';
import { partition, summaryOf, type TrimGroup } from '../../src/deal-sets/domain/ranking.js';
import type { Row as RowDto } from '../../src/deal-sets/dto/row.js';
import { ENGLISH } from '../../src/deal-sets/domain/english-texts.js';
import { carLabel } from '../../src/deal-sets/domain/labels.js';
import type { PrincipalType } from '../../src/kernel/principal.js';
import {
  column,
  json,
  LISTED,
  own,
  quoted,
  REQUESTED,
  requestedCar,
  requestedLabel,
  select,
  type RowOf,
} from './columns.js';

// This file reads one deal set and writes its rows as JSON text in one pass; redaction is a plain
// condition. The display texts and the ranking come from the service's functions, because rewriting
// those rules would not make the server faster.

// Long texts are cut in the outermost select list. Inside the join they would be cut once for each
// price check.
const WORDS = 'CASE WHEN p.is_seen THEN i.words ELSE i.words_while_hidden END';
const LONG = `i.kind = 'draft' AND octet_length(${WORDS}) > ${OPENING_CHARACTERS}`;
const OPENING = `left(${WORDS}, ${OPENING_CHARACTERS})`;

/**
 * The columns of deal set `s`, of its price check `p` (null if it has none) and of an open item `i`
 * of the price check (null if it has none).
 */
const MEMBER = {
  setId: column.word('s.id'),
  ...REQUESTED,
  radiusMiles: column.number(own('s.radius_miles', 'double precision')),
  id: column.text('p.id'),
  ...LISTED,
  isVerifiedPartner: column.flag('p.shown_verified_partner'),
  ended: column.ending('p.ended'),
  otdCents: column.number('p.otd_cents'),
  sellingPriceCents: column.number('p.selling_price_cents'),
  writtenAt: column.text('p.written_at'),
  isWritten: column.flag('p.is_written'),
  state: column.state('p.state'),
  isSeen: column.flag('p.is_seen'),
  isChosen: column.flag('p.chosen_at IS NOT NULL'),
  isArchived: column.flag('p.archived_at IS NOT NULL'),
  distanceMiles: column.number(own('p.distance_miles', 'double precision')),
  itemKind: column.text('i.kind'),
  itemId: column.text('i.id'),
  promptId: column.text('i.prompt_id'),
  category: column.word('i.category'),
  answerMode: column.word('i.answer_mode'),
  itemOtdCents: column.number('i.otd_cents'),
  words: column.text(own(`CASE WHEN i.kind = 'draft' THEN ${OPENING} ELSE ${WORDS} END`)),
  isPartial: column.flag(
    own(
      `${LONG} AND octet_length(${WORDS}) > octet_length(${OPENING})
        OR NOT p.is_seen AND i.words_while_hidden <> i.words`,
      'boolean',
    ),
  ),
};
/** A price check of a deal set, with one of its open items. */
export type Member = RowOf<typeof MEMBER>;

/**
 * Returns the statement of one deal set. The statement returns a row for each price check and each
 * of its open items, oldest items first, and at least one row if the deal set exists.
 *
 * Parameters: $1 buyer, $2 deal set.
 */
export function dealSetStatement(viewer: PrincipalType): string {
  const words = (text: string, whileHidden: string): string =>
    select(
      { words: column.text(own(text)), words_while_hidden: column.text(own(whileHidden)) },
      viewer,
    );
  return `SELECT ${select(MEMBER, viewer)}
FROM deal_sets.deal_set s
LEFT JOIN deal_sets.price_check p ON p.buyer_id = s.buyer_id AND p.request_id = s.id AND p.deal_set_id = s.id
LEFT JOIN (
  SELECT 'question' AS kind, q.id, q.price_check_id, q.prompt_id, q.category, q.answer_mode, q.otd_cents,
    q.asked_at AS at, ${words('q.text', 'q.text_while_hidden')}
  FROM deal_sets.question q WHERE q.buyer_id = $1 AND q.request_id = $2 AND q.answered_at IS NULL
  UNION ALL
  SELECT 'draft', d.id, d.price_check_id, NULL, NULL, NULL, NULL, d.created_at, ${words('d.body', 'd.body_while_hidden')}
  FROM deal_sets.draft d WHERE d.buyer_id = $1 AND d.request_id = $2 AND d.resolved_at IS NULL
) i ON i.price_check_id = p.id AND p.ended IS NULL AND p.archived_at IS NULL AND s.ended_at IS NULL
WHERE s.buyer_id = $1 AND s.id = $2
ORDER BY i.at, i.kind, i.id, p.id`;
}

/**
 * A price check in the form that the rules take. It is a new object, because extending the driver's
 * row would be slow.
 */
interface Row extends PriceCheckFacts {
  readonly listing: Member;
  readonly label: string;
}

const isOffer = (member: Member): boolean =>
  !member.isArchived && member.isWritten && member.answer !== 'different_car';

/** The fields of a row, in the order of the response. The gap of an unranked row is null. */
const ROW = {
  rowKey: (member) => quoted(member.id),
  label: (_member, { label }) => quoted(label),
  hidden: (member) => !member.isSeen,
  chosen: (member) => member.isChosen,
  archived: (member) => member.isArchived,
  state: (_member, { state }) => quoted(state),
  ended: (member) => json(member.ended),
  statusLabel: (_member, row) => quoted(ENGLISH.status(row)),
  otdCents: (member) => (member.isWritten ? member.otdCents : null),
  sellingPriceCents: (member) => (member.isWritten ? member.sellingPriceCents : null),
  listedAtCents: (member) => member.listedAtCents,
  writtenAt: (member) => (member.isWritten ? json(member.writtenAt) : null),
  gapToLowestCents: (_member, _row, gap) => gap,
  canChoose: (member) => isOffer(member) && member.isSeen && !member.isChosen,
  canUnlock: (member) => isOffer(member) && !member.isSeen,
  quotedTrim: (member) => json(member.trim),
  distanceMiles: (member) => shownDistanceMiles(member.distanceMiles, member.isSeen),
  distanceBand: (member) => json(distanceBand(member.distanceMiles)),
  priceCheckHref: ({ isSeen, setId, id }) =>
    isSeen ? `"/deal-sets/${setId}/price-checks/${id}"` : null,
} satisfies Record<
  Exclude<keyof RowDto, 'isVerifiedPartner'>,
  (member: Member, row: Row, gap: number | null) => unknown
>;
const FIELDS = Object.entries(ROW).map(([key, value]) => [`,"${key}":`, value] as const);

function rowJson(row: Row, gap: number | null, isHosted: boolean): string {
  let all = '';
  for (const [key, value] of FIELDS) all += key + String(value(row.listing, row, gap));
  return `{${all.slice(1)}${isHosted ? '' : `,"isVerifiedPartner":${row.listing.isVerifiedPartner}`}}`;
}

/** Formats the response body of one deal set. */
export function setJson(members: readonly Member[], isAssistant: boolean, isHosted: boolean) {
  const set = members[0]!;
  const found = new Map<string, Row>();
  const items: string[] = [];
  for (const member of members) {
    if (member.id === null) continue;
    let row = found.get(member.id);
    if (!row) {
      const label =
        member.dealershipName ?? carLabel(ENGLISH, member) ?? requestedLabel(member, set);
      const { id, answer, ended, state, otdCents, writtenAt, isWritten, isArchived } = member;
      const listing = member;
      const { trim } = member;
      const facts = {
        id,
        answer,
        ended,
        otdCents,
        writtenAt,
        isArchived,
        trim,
        state,
        isWritten,
        listing,
        label,
      };
      row = facts as unknown as Row;
      found.set(member.id, row);
    }
    if (member.itemKind !== null) items.push(itemJson(member, row.label));
  }
  const parts = partition([...found.values()]);
  const { waiting, differentCar, ended, archived } = parts;
  const ranked = parts.ranked.map(({ trim, rows }) => {
    const lowest = rows[0].otdCents;
    const all = rows.map((row) => rowJson(row as unknown as Row, row.otdCents - lowest, isHosted));
    return `{"trim":${json(trim)},"rows":[${all.join()}]}`;
  });
  const unranked = (rows: readonly PriceCheckFacts[]): string =>
    rows.map((row) => rowJson(row as Row, null, isHosted)).join();
  const summary = summaryOf(parts);
  const counts = { ...summary, needsYou: items.length, total: set.dealersFound };
  const header = isAssistant ? null : ENGLISH.headerLine({ ...summary, archived: archived.length });
  const hero = parts.ranked[0] ? heroJson(parts.ranked[0]) : 'null';
  return `{"data":{"dealSetId":"${set.setId}","car":${requestedCar(set)},"search":{"buyerZip":${json(set.buyerZip)},"radiusMiles":${set.radiusMiles}},"counts":${quoted(counts)},"headerLine":${json(header)},"hero":${hero},"ranked":[${ranked.join()}],"needsYou":[${items.join()}],"everyoneElse":{"waiting":[${unranked(waiting)}],"differentCar":[${unranked(differentCar)}],"ended":[${unranked(ended)}],"archived":[${unranked(archived)}]}}}`;
}

function heroJson({ trim, rows: [first, next] }: TrimGroup): string {
  const { listing: row, label } = first as unknown as Row;
  const otd = first.otdCents;
  const selling = row.sellingPriceCents;
  return `{"rowKey":"${row.id}","label":${quoted(label)},"otdCents":${otd},"sellingPriceCents":${selling},"taxesAndFeesCents":${selling === null || selling > otd ? null : otd - selling},"listedAtCents":${row.listedAtCents},"writtenAt":${json(row.writtenAt)},"distanceMiles":${ROW.distanceMiles(row)},"distanceBand":${ROW.distanceBand(row)},"trim":${json(trim)},"gapToNextCents":${next ? next.otdCents - otd : null},"canChoose":${row.isSeen && !row.isChosen},"canUnlock":${!row.isSeen},"chosen":${row.isChosen}}`;
}

function itemJson(row: Member, label: string): string {
  const start = `"rowKey":"${row.id}","label":${quoted(label)}`;
  const { words } = row;
  if (row.itemKind === 'question') {
    const { category } = row;
    const heading = ENGLISH.questionHeading({ category, label });
    return `{"kind":"question",${start},"promptId":${json(row.promptId)},"category":${quoted(category)},"heading":${quoted(heading)},"question":${json(words)},"answerMode":${quoted(row.answerMode)},"otdCents":${row.itemOtdCents}}`;
  }
  const preview = previewOf(words, row.isPartial);
  return `{"kind":"draft",${start},"requestId":"${row.itemId}","preview":${json(preview.text)},"previewComplete":${preview.isComplete}}`;
}
