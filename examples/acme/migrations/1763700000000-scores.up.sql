CREATE TABLE acme_score (
  price_check_id uuid PRIMARY KEY,
  score integer NOT NULL
);
GRANT SELECT ON acme_score TO deal_sets_reader;
