-- The statement assistant_deal_set, written by `npm run statements:docs`.
SELECT "rowKind", facts, result."id", result."year", result."model", result."trim", result."exteriorColor", result."mileage", result."listedAtCents", result."answer", result."otdCents", result."sellingPriceCents", result."writtenAt", result."isWritten", result."ended", result."state", result."isSeen", result."isChosen", result."isArchived", result."isVerifiedPartner", result."distanceMiles", result."dealershipName"
FROM (
  SELECT 'price_check' AS "rowKind", NULL::json AS facts,
  p.id AS "id",
  p.shown_year AS "year",
  p.shown_model AS "model",
  p.shown_trim AS "trim",
  p.shown_exterior_color AS "exteriorColor",
  p.shown_mileage AS "mileage",
  p.shown_listed_at_cents AS "listedAtCents",
  p.answer AS "answer",
  p.otd_cents AS "otdCents",
  p.selling_price_cents AS "sellingPriceCents",
  p.written_at AS "writtenAt",
  p.is_written AS "isWritten",
  p.ended AS "ended",
  p.state AS "state",
  p.is_seen AS "isSeen",
  p.chosen_at IS NOT NULL AS "isChosen",
  p.archived_at IS NOT NULL AS "isArchived",
  p.shown_verified_partner AS "isVerifiedPartner",
  NULL::double precision AS "distanceMiles",
  NULL::text AS "dealershipName",
  NULL::timestamptz AS at, NULL::uuid AS item_id
  FROM deal_sets.price_check p WHERE p.buyer_id = $1 AND p.request_id = $2 AND p.deal_set_id = $2
  UNION ALL
  SELECT 'deal_set', json_build_object('id', s.id, 'car', json_build_object('year', s.car_year, 'make', s.car_make, 'model', s.car_model, 'trim', NULL::text, 'exteriorColor', NULL::text, 'interiorColor', NULL::text, 'drivetrain', NULL::text, 'powertrain', NULL::text), 'buyerZip', NULL::text, 'radiusMiles', NULL::double precision, 'dealersFound', NULL::integer), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM deal_sets.deal_set s WHERE s.buyer_id = $1 AND s.id = $2
  UNION ALL
  SELECT 'question', json_build_object('id', i.id, 'priceCheckId', i.price_check_id, 'promptId', i.prompt_id, 'category', i.category, 'answerMode', i.answer_mode, 'otdCents', i.otd_cents, 'words', NULL::text), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, i.asked_at, i.id
  FROM deal_sets.deal_set s
  JOIN deal_sets.question i ON i.buyer_id = $1 AND i.request_id = $2 AND i.answered_at IS NULL
  JOIN deal_sets.price_check p ON p.buyer_id = $1 AND p.id = i.price_check_id AND p.deal_set_id = $2
    AND p.ended IS NULL AND p.archived_at IS NULL
  WHERE s.buyer_id = $1 AND s.id = $2 AND s.ended_at IS NULL
  UNION ALL
  SELECT 'draft', json_build_object('id', i.id, 'priceCheckId', i.price_check_id, 'words', NULL::text, 'isPartial', NULL::boolean), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, i.created_at, i.id
  FROM deal_sets.deal_set s
  JOIN deal_sets.draft i ON i.buyer_id = $1 AND i.request_id = $2 AND i.resolved_at IS NULL
  JOIN deal_sets.price_check p ON p.buyer_id = $1 AND p.id = i.price_check_id AND p.deal_set_id = $2
    AND p.ended IS NULL AND p.archived_at IS NULL
  WHERE s.buyer_id = $1 AND s.id = $2 AND s.ended_at IS NULL
) result
ORDER BY at, "rowKind", item_id;
