import type { CarAnswer, Ending } from '../../../src/kernel/price-check-values.js';

/** A row of the list's statements: a deal set's columns, or a single request's under the same names. */
export interface EntryRow {
  kind: 'deal_set' | 'single';
  id: string;
  latest_activity_at: string | null;
  year: number | null;
  make: string | null;
  model: string | null;
  car_names_dealership: boolean;
  trim: string | null;
  exterior_color: string | null;
  interior_color: string | null;
  drivetrain: string | null;
  powertrain: string | null;
  buyer_zip: string | null;
  dealers_found: number | null;
  has_ended: boolean;
  is_archived: boolean;
  has_finished: boolean;
  otd_cents: number | null;
  dealership_name: string | null;
  written: number;
  waiting: number;
  different_car: number;
  ended: number;
  ended_with_price: number;
  closed_with_price: number;
  lowest_distance_miles: number | null;
  is_lowest_seen: boolean | null;
  chosen: string | null;
  /** From the read model: the names in the order of the chosen, which then hold none. */
  chosen_names?: string | null;
  member_ids: string | null;
  open_items: number;
}

/** A row of the statement for one deal set: the set, a member (null: it has none), an open item of it. */
export interface MemberRow {
  set_id: string;
  car_year: number;
  car_make: string;
  car_model: string;
  car_names_dealership: boolean;
  car_trim: string | null;
  car_exterior_color: string | null;
  car_interior_color: string | null;
  car_drivetrain: string | null;
  car_powertrain: string | null;
  buyer_zip: string | null;
  radius_miles: number | null;
  dealers_found: number | null;
  id: string | null;
  shown_year: number | null;
  shown_model: string | null;
  shown_trim: string | null;
  shown_exterior_color: string | null;
  shown_mileage: number | null;
  shown_listed_at_cents: number | null;
  shown_verified_partner: boolean;
  answer: CarAnswer | null;
  otd_cents: number | null;
  selling_price_cents: number | null;
  written_at: string | null;
  ended: Ending | null;
  is_seen: boolean;
  is_chosen: boolean;
  is_archived: boolean;
  distance_miles: number | null;
  dealership_name: string | null;
  item_kind: 'question' | 'draft' | null;
  item_id: string;
  prompt_id: string | null;
  category: string;
  answer_mode: string;
  item_otd_cents: number | null;
  words: string | null;
  /** Null without an item, and for an assistant. */
  has_more_words: boolean | null;
  is_masked: boolean | null;
}
