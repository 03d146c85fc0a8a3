import type { PrincipalType } from '../../kernel/principal.js';
import { SEES_WORDS } from '../domain/disclosure.js';
import type { DealSetFacts, NeedsYouFacts, PriceCheckFacts } from '../domain/facts.js';
import { partition, summaryOf } from '../domain/partition.js';
import { previewOf } from '../domain/preview.js';
import { ENGLISH, requestedCarLabel, type Texts } from '../domain/texts.js';
import { NO_OWN_VALUES, type OwnValues } from '../additions/own-field-loader.js';
import type { DealSetResult } from '../dto/deal-set-result.js';
import type { NeedsYouItem } from '../dto/needs-you-item.js';
import type { Row } from '../dto/row.js';
import {
  blankPriceCheck,
  NO_HIDDEN_FACTS,
  shownTrim,
  type HiddenFacts,
} from '../redaction/listing-facts.js';
import { headingLabel, heroView, rowView, type RowContext } from './row-view.js';

/** What a team adds to the result, and what its rules take away. */
export interface ResultViewOptions {
  /** Default: none. */
  readonly hidden?: HiddenFacts;
  /** Default: the service's. */
  readonly texts?: Texts;
  /** A team's fields of rows. Default: none. */
  readonly ownValues?: OwnValues;
}

/** The response for one deal set, from the facts that this principal type may read. Redaction follows. */
export function dealSetResultView(
  set: DealSetFacts,
  principalType: PrincipalType,
  { hidden = NO_HIDDEN_FACTS, texts = ENGLISH, ownValues = NO_OWN_VALUES }: ResultViewOptions = {},
): DealSetResult {
  const context: RowContext = {
    principalType,
    dealSetId: set.id,
    requestedLabel: requestedCarLabel(texts, set.car),
    texts,
    ownValues,
  };
  const labels = new Map<string, ItemLabels>();
  const view = (facts: PriceCheckFacts, lowestCents: number | null = null): Row => {
    const row = blankPriceCheck(facts, hidden);
    const rowOfWire = rowView(row, context, lowestCents);
    if (set.needsYouItems.length > 0) {
      const { label } = rowOfWire;
      labels.set(row.id, { label, heading: headingLabel(row, label, context) });
    }
    return rowOfWire;
  };

  const parts = partition(set.priceChecks);
  const groups = parts.ranked.map((group) => ({
    ...group,
    trim: shownTrim(group.trim, hidden),
  }));
  const ranked = groups.map((group) => ({
    trim: group.trim,
    rows: group.rows.map((row) => view(row, group.rows[0].otdCents)),
  }));
  const all = (rows: readonly PriceCheckFacts[]): Row[] => rows.map((row) => view(row));
  const everyoneElse = {
    waiting: all(parts.waiting),
    differentCar: all(parts.differentCar),
    ended: all(parts.ended),
    archived: all(parts.archived),
  };

  const summary = summaryOf(parts);
  const needsYou = set.needsYouItems.map((item) => needsYouView(item, labels, context));
  return {
    dealSetId: set.id,
    car: set.car,
    search: { buyerZip: set.buyerZip, radiusMiles: set.radiusMiles },
    counts: { ...summary, needsYou: needsYou.length, total: set.dealersFound },
    headerLine: texts.headerLine({ ...summary, archived: everyoneElse.archived.length }),
    hero: heroView(groups, ranked[0]?.rows[0]),
    ranked,
    needsYou,
    everyoneElse,
  };
}

/** How an item's row is named: in full, and in the item's heading. */
interface ItemLabels {
  readonly label: string;
  readonly heading: string;
}

function needsYouView(
  item: NeedsYouFacts,
  labels: ReadonlyMap<string, ItemLabels>,
  { principalType, texts }: RowContext,
): NeedsYouItem {
  const { label, heading } = labels.get(item.priceCheckId) ?? { label: '', heading: '' };
  if (item.kind === 'question') {
    return {
      kind: 'question',
      rowKey: item.priceCheckId,
      label,
      promptId: item.promptId,
      category: item.category,
      heading: texts.questionHeading({ category: item.category, label: heading }),
      question: item.text,
      answerMode: item.answerMode,
      otdCents: item.otdCents,
    };
  }
  // An assistant does not even learn whether the draft is short.
  const preview =
    SEES_WORDS[principalType] && item.opening !== null
      ? previewOf(item.opening, item.hasMore)
      : null;
  return {
    kind: 'draft',
    rowKey: item.priceCheckId,
    label,
    requestId: item.id,
    preview: preview?.text ?? null,
    previewComplete: (preview?.isComplete ?? false) && item.isMasked !== true,
  };
}
