import type { CarAnswer, Ending } from '../../../src/kernel/price-check-values.js';

type Texts<Name extends string> = Record<Name, string | null>;
type Numbers<Name extends string> = Record<Name, number | null>;
type Flags<Name extends string> = Record<Name, boolean>;
type CarTexts = Texts<
  'trim' | 'exterior_color' | 'interior_color' | 'drivetrain' | 'powertrain' | 'buyer_zip'
>;

/** A row of the list's statements: a deal set's columns, or a single request's under the same names. */
export interface EntryRow
  extends
    CarTexts,
    Texts<'make' | 'model' | 'latest_activity_at' | 'dealership_name' | 'chosen' | 'member_ids'>,
    Numbers<'year' | 'dealers_found' | 'otd_cents' | 'lowest_distance_miles'>,
    Record<'written' | 'waiting' | 'different_car' | 'ended' | 'ended_with_price', number>,
    Record<'closed_with_price' | 'open_items', number>,
    Flags<'has_ended' | 'is_archived' | 'has_finished'> {
  kind: 'deal_set' | 'single';
  id: string;
  is_lowest_seen: boolean | null;
}

/** A row of the statement for one deal set: the set, a member (null: it has none), an open item of it. */
export interface MemberRow
  extends
    CarTexts,
    Texts<'id' | 'shown_model' | 'shown_trim' | 'shown_exterior_color' | 'written_at'>,
    Texts<'dealership_name' | 'hidden_name' | 'prompt_id' | 'words'>,
    Numbers<'radius_miles' | 'dealers_found' | 'shown_year' | 'shown_mileage' | 'distance_miles'>,
    Numbers<'shown_listed_at_cents' | 'otd_cents' | 'selling_price_cents' | 'item_otd_cents'>,
    Flags<'shown_verified_partner' | 'is_seen' | 'is_chosen'>,
    Flags<'is_archived' | 'has_more_words'>,
    Record<'set_id' | 'make' | 'model' | 'item_id' | 'category' | 'answer_mode', string> {
  year: number;
  answer: CarAnswer | null;
  ended: Ending | null;
  item_kind: 'question' | 'draft' | null;
}

/** What a page of the feed says of the feed beside each entry; alone, with null for all of an entry, when empty. */
export interface PageRow extends EntryRow {
  has_more: boolean;
  page_edge_ms: number | null;
  newest_ms: number | null;
}
