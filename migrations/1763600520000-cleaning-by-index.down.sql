DO $$
DECLARE
  t record;
BEGIN
  FOR t IN
    SELECT tgrelid::regclass AS tab, tgname FROM pg_trigger
    WHERE NOT tgisinternal AND (tgname ~ '^t[25]_words_' OR tgname IN (
      'question_sets_masked_text', 'draft_sets_masked_body', 'deal_set_sets_car_names_dealership'))
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', t.tgname, t.tab);
  END LOOP;
END $$;
DROP TABLE cleaning_order;
DROP FUNCTION run_cleaning_order(), compare_written_cars(), mask_written_messages(), set_masked_text(), set_masked_body(),
  set_car_names_dealership();
-- As they were before.
CREATE OR REPLACE FUNCTION dealership_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  has_new_identity boolean := (NEW.whole_keys, NEW.loose_keys) IS DISTINCT FROM (OLD.whole_keys, OLD.loose_keys);
  has_new_name boolean := NEW.name IS DISTINCT FROM OLD.name;
  has_new_partner boolean :=
    coalesce(NEW.verified_partner, false) IS DISTINCT FROM coalesce(OLD.verified_partner, false);
  buyer_ids uuid[];
  request_ids uuid[];
  locked_buyer_ids uuid[];
  locked_request_ids uuid[];
  seen_buyer_ids uuid[];
  seen_request_ids uuid[];
  seen_kinds text[];
BEGIN
  IF NOT (has_new_identity OR has_new_name OR has_new_partner) THEN RETURN NULL; END IF;
  PERFORM assert_read_committed();

  IF has_new_partner THEN
    UPDATE price_check p SET shown_verified_partner = coalesce(NEW.verified_partner, false)
    WHERE p.dealership_id = NEW.id
      AND p.shown_verified_partner IS DISTINCT FROM coalesce(NEW.verified_partner, false);
  END IF;
  IF NOT (has_new_identity OR has_new_name) THEN RETURN NULL; END IF;

  -- Wait for writers of its requests: what they add must be compared with the new name too, and where
  -- they unlock or choose, the buyer sees the name. Meanwhile a row may have joined another request.
  LOOP
    SELECT array_agg(r.buyer_id), array_agg(r.request_id) INTO buyer_ids, request_ids
    FROM (SELECT DISTINCT p.buyer_id, p.request_id FROM price_check p WHERE p.dealership_id = NEW.id
          ORDER BY 1, 2) r;
    EXIT WHEN (buyer_ids, request_ids) IS NOT DISTINCT FROM (locked_buyer_ids, locked_request_ids);
    PERFORM FROM request_feed f JOIN unnest(buyer_ids, request_ids) AS r (buyer_id, request_id)
      ON r.buyer_id = f.buyer_id AND r.request_id = f.request_id
      ORDER BY f.buyer_id, f.request_id, f.kind FOR UPDATE OF f;
    locked_buyer_ids := buyer_ids;
    locked_request_ids := request_ids;
  END LOOP;
  IF buyer_ids IS NULL THEN RETURN NULL; END IF;

  IF has_new_name THEN
    SELECT array_agg(r.buyer_id), array_agg(r.request_id), array_agg(r.kind)
      INTO seen_buyer_ids, seen_request_ids, seen_kinds
    FROM (SELECT DISTINCT p.buyer_id, p.request_id,
            CASE WHEN p.deal_set_id IS NULL THEN 'single' ELSE 'deal_set' END AS kind
          FROM price_check p
          WHERE p.dealership_id = NEW.id AND (p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL)) r;
    IF seen_buyer_ids IS NOT NULL THEN
      PERFORM feed_mark(seen_buyer_ids, seen_request_ids, seen_kinds);
    END IF;
  END IF;
  IF has_new_identity THEN PERFORM clean_listings(buyer_ids, request_ids); END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION price_check_cleans_listings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  needs_young_snapshot boolean := true;
  buyer_ids uuid[];
  request_ids uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(buyer_id), array_agg(request_id), bool_or(is_member)
      INTO buyer_ids, request_ids, needs_young_snapshot
    FROM (SELECT buyer_id, request_id, bool_or(deal_set_id IS NOT NULL) AS is_member
          FROM new_rows GROUP BY 1, 2) r;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(buyer_id), array_agg(request_id) INTO buyer_ids, request_ids
    FROM (SELECT DISTINCT buyer_id, request_id FROM old_rows WHERE deal_set_id IS NOT NULL) r;
  ELSE
    SELECT array_agg(r.buyer_id), array_agg(r.request_id) INTO buyer_ids, request_ids
    FROM (
      SELECT DISTINCT side.buyer_id, side.request_id
      FROM new_rows n FULL JOIN old_rows o ON o.buyer_id = n.buyer_id AND o.id = n.id
      CROSS JOIN LATERAL (VALUES (n.buyer_id, n.request_id), (o.buyer_id, o.request_id))
        AS side (buyer_id, request_id)
      WHERE side.buyer_id IS NOT NULL AND
        (n.request_id, n.dealership_id, n.listing_year, n.listing_make, n.listing_model, n.listing_trim,
         n.listing_exterior_color, n.listing_mileage, n.listing_listed_at_cents) IS DISTINCT FROM
        (o.request_id, o.dealership_id, o.listing_year, o.listing_make, o.listing_model, o.listing_trim,
         o.listing_exterior_color, o.listing_mileage, o.listing_listed_at_cents)
    ) r;
  END IF;
  IF buyer_ids IS NOT NULL THEN
    IF needs_young_snapshot THEN PERFORM assert_read_committed(); END IF;
    PERFORM clean_listings(buyer_ids, request_ids);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION clean_listings(buyer_ids uuid[], request_ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH affected AS (
    SELECT DISTINCT a.buyer_id, a.request_id FROM unnest(buyer_ids, request_ids) AS a (buyer_id, request_id)
  ), known AS (
    SELECT a.buyer_id, a.request_id,
      array_agg(DISTINCT w.key) FILTER (WHERE w.is_whole) AS whole_keys,
      coalesce(array_agg(DISTINCT w.key) FILTER (WHERE NOT w.is_whole), '{}') AS loose_keys,
      bool_or(w.key !~ '[[:alnum:]]') AS has_signs
    FROM affected a
    JOIN price_check m ON m.buyer_id = a.buyer_id AND m.request_id = a.request_id
    JOIN dealership d ON d.id = m.dealership_id
    CROSS JOIN LATERAL (
      SELECT unnest(d.whole_keys), true UNION ALL SELECT unnest(d.loose_keys), false
    ) AS w (key, is_whole)
    GROUP BY 1, 2
  ), suspect AS (
    SELECT pc.*, coalesce(k.whole_keys, '{}') AS whole_keys, coalesce(k.loose_keys, '{}') AS loose_keys
    FROM affected a
    JOIN price_check pc ON pc.buyer_id = a.buyer_id AND pc.request_id = a.request_id
    LEFT JOIN known k ON k.buyer_id = a.buyer_id AND k.request_id = a.request_id
    -- OFFSET 0 keeps the folding apart, so that it is done once for each listing and not once for each key.
    CROSS JOIN LATERAL (
      -- In the order of a label, so that a name which its parts make up together is met too.
      SELECT folded(concat_ws(' ', pc.listing_make, pc.listing_exterior_color, pc.listing_year,
        pc.listing_model, pc.listing_trim, pc.listing_mileage, round(pc.listing_mileage, -2),
        pc.listing_listed_at_cents, round(pc.listing_listed_at_cents / 100.0))) AS text
      OFFSET 0
    ) AS listing
    WHERE
      -- Either some key occurs in the listing's text at all (nearly never), or something is hidden now.
      EXISTS (
        SELECT FROM unnest(k.whole_keys || k.loose_keys) AS u (key) WHERE position(u.key IN listing.text) > 0)
      OR k.has_signs
      OR (pc.shown_year, pc.shown_make, pc.shown_model, pc.shown_trim, pc.shown_exterior_color,
          pc.shown_mileage, pc.shown_listed_at_cents)
        IS DISTINCT FROM
         (pc.listing_year::integer, listing_text(pc.listing_make), listing_text(pc.listing_model),
          listing_text(pc.listing_trim), listing_text(pc.listing_exterior_color),
          pc.listing_mileage, pc.listing_listed_at_cents::bigint)
  ), clean AS (
    SELECT s.buyer_id, s.id,
      CASE WHEN NOT s.listing_year::text = ANY (s.whole_keys) THEN s.listing_year END AS year,
      CASE WHEN NOT names_dealership(s.listing_make, s.whole_keys, s.loose_keys)
        THEN listing_text(s.listing_make) END AS make,
      CASE WHEN NOT names_dealership(s.listing_model, s.whole_keys, s.loose_keys)
        THEN listing_text(s.listing_model) END AS model,
      CASE WHEN NOT names_dealership(s.listing_trim, s.whole_keys, s.loose_keys)
        THEN listing_text(s.listing_trim) END AS trim,
      CASE WHEN NOT names_dealership(s.listing_exterior_color, s.whole_keys, s.loose_keys)
        THEN listing_text(s.listing_exterior_color) END AS exterior_color,
      -- Numbers as they are and as labels round them.
      CASE WHEN NOT ARRAY[s.listing_mileage::text, round(s.listing_mileage, -2)::text] && s.whole_keys
        THEN s.listing_mileage END AS mileage,
      CASE WHEN NOT ARRAY[s.listing_listed_at_cents::text, round(s.listing_listed_at_cents / 100.0)::text,
          (s.listing_listed_at_cents / 100)::text] && s.whole_keys
        THEN s.listing_listed_at_cents END AS listed_at_cents,
      s.whole_keys, s.loose_keys
    FROM suspect s
  ), line AS (
    -- A label puts colour, year, model and trim side by side, where they may make up a name together:
    -- then as many are hidden, from the end, as it takes.
    SELECT c.buyer_id, c.id, c.year, c.make, c.mileage, c.listed_at_cents,
      CASE WHEN NOT names_dealership(concat_ws(' ', c.exterior_color, c.year), c.whole_keys, c.loose_keys)
        THEN c.exterior_color END AS exterior_color,
      CASE WHEN NOT names_dealership(concat_ws(' ', c.exterior_color, c.year, c.model), c.whole_keys, c.loose_keys)
        THEN c.model END AS model,
      CASE WHEN NOT names_dealership(concat_ws(' ', c.exterior_color, c.year, c.model, c.trim), c.whole_keys, c.loose_keys)
        THEN c.trim END AS trim
    FROM clean c
  )
  UPDATE price_check pc SET
    shown_year = c.year, shown_make = c.make, shown_model = c.model, shown_trim = c.trim,
    shown_exterior_color = c.exterior_color, shown_mileage = c.mileage, shown_listed_at_cents = c.listed_at_cents
  FROM line c
  WHERE pc.buyer_id = c.buyer_id AND pc.id = c.id
    AND (pc.shown_year, pc.shown_make, pc.shown_model, pc.shown_trim, pc.shown_exterior_color,
         pc.shown_mileage, pc.shown_listed_at_cents)
      IS DISTINCT FROM (c.year::integer, c.make, c.model, c.trim, c.exterior_color, c.mileage, c.listed_at_cents::bigint)
$$;

DROP FUNCTION clean_requests(uuid[], uuid[], uuid[], uuid[]), find_suspect_listings(uuid[], uuid[], uuid[], text[]), compare_requested_cars(uuid[], uuid[]),
  mask_messages(text, text, text, uuid[], uuid[], uuid[], uuid[], text[]),
  masked_message(text, text[], text[], text[], text[]), masked_scope(text),
  identifies_dealership(text, text[], text[], text[], text[]), own_identifiers(text, text, text),
  own_part_occurs(text, text);
ALTER TABLE question DROP COLUMN masked_text;
ALTER TABLE draft DROP COLUMN masked_body;
ALTER TABLE deal_set DROP COLUMN car_names_dealership;
