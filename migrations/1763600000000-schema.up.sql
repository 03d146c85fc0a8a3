-- The data of a buyer begins with the buyer: every primary key, foreign key and index of such a table
-- leads with buyer_id, so that partitioning or distributing by buyer stays a matter of configuration.
-- Ids are unique within a buyer here; the import keeps an id with one buyer for good.

-- Money and counts leave as JSON integers: 2^53 - 1 is the largest that every client reads exactly.
CREATE DOMAIN cents AS bigint CHECK (VALUE BETWEEN 0 AND 9007199254740991);
-- Tokens an assistant may see: no room for words.
CREATE DOMAIN token AS text CHECK (VALUE ~ '^[A-Za-z0-9_.:-]{1,64}$');
CREATE DOMAIN short_text AS text CHECK (char_length(VALUE) <= 200);
CREATE DOMAIN car_year AS integer CHECK (VALUE BETWEEN 1886 AND 2100);
CREATE DOMAIN miles AS double precision CHECK (VALUE >= 0 AND VALUE <= 25000);

CREATE TABLE buyer (
  id uuid PRIMARY KEY,
  changes_granted boolean NOT NULL DEFAULT false
);

CREATE TABLE dealership (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 300),
  phone short_text,
  email text CHECK (char_length(email) <= 320),
  website text CHECK (char_length(website) <= 2048),
  -- Null: not known yet.
  verified_partner boolean
);

CREATE TABLE buyer_session (
  buyer_id uuid NOT NULL REFERENCES buyer (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  token_sha256 bytea NOT NULL CHECK (octet_length(token_sha256) = 32),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  PRIMARY KEY (buyer_id, id)
);
CREATE INDEX buyer_session_token ON buyer_session (token_sha256);

CREATE TABLE assistant_grant (
  buyer_id uuid NOT NULL REFERENCES buyer (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  client_id token NOT NULL,
  scopes text[] NOT NULL CHECK (array_position(scopes, NULL) IS NULL),
  is_hosted boolean NOT NULL DEFAULT false,
  granted_at timestamptz NOT NULL,
  revoked_at timestamptz,
  PRIMARY KEY (buyer_id, id)
);
CREATE UNIQUE INDEX assistant_grant_live ON assistant_grant (buyer_id, client_id) WHERE revoked_at IS NULL;

CREATE TABLE deal_set (
  buyer_id uuid NOT NULL REFERENCES buyer (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  car_year car_year NOT NULL,
  car_make short_text NOT NULL,
  car_model short_text NOT NULL,
  car_trim short_text,
  car_exterior_color short_text,
  car_interior_color short_text,
  car_drivetrain short_text,
  car_powertrain short_text,
  buyer_zip text CHECK (buyer_zip ~ '^[0-9]{5}(-[0-9]{4})?$'),
  radius_miles miles,
  dealers_found integer CHECK (dealers_found >= 0),
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (buyer_id, id)
);
CREATE INDEX deal_set_active ON deal_set (buyer_id, created_at DESC, id) WHERE ended_at IS NULL;
CREATE INDEX deal_set_id ON deal_set (id);

CREATE TABLE price_check (
  buyer_id uuid NOT NULL REFERENCES buyer (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- Null: a request to a single dealership.
  deal_set_id uuid,
  -- The request this price check belongs to: its deal set, or itself.
  request_id uuid NOT NULL GENERATED ALWAYS AS (coalesce(deal_set_id, id)) STORED,
  dealership_id uuid NOT NULL REFERENCES dealership (id),

  -- The listing as it was written. No reading role may select these.
  listing_year car_year,
  listing_make short_text,
  listing_model short_text,
  listing_trim short_text,
  listing_exterior_color short_text,
  listing_mileage integer CHECK (listing_mileage BETWEEN 0 AND 9999999),
  listing_listed_at_cents cents,
  listing_vin text CHECK (char_length(listing_vin) <= 64),
  listing_url text CHECK (char_length(listing_url) <= 2048),
  listing_image_url text CHECK (char_length(listing_image_url) <= 2048),

  -- What may be shown of the listing and its dealership to anyone; kept by triggers alone.
  shown_year integer,
  shown_make text,
  shown_model text,
  shown_trim text,
  shown_exterior_color text,
  shown_mileage integer,
  shown_listed_at_cents bigint,
  shown_verified_partner boolean NOT NULL DEFAULT false,

  distance_miles miles,
  requested_at timestamptz NOT NULL,
  answer text CHECK (answer IN ('same_car', 'different_car')),
  otd_cents cents,
  selling_price_cents cents,
  -- Null: the price is not in writing.
  written_at timestamptz,
  -- When the dealership finished and sent its offer.
  finished_at timestamptz,
  ended text CHECK (ended IN ('sold', 'closed_with_price', 'no_price', 'timed_out')),
  ended_at timestamptz,
  unlocked_at timestamptz,
  chosen_at timestamptz,
  archived_at timestamptz,
  PRIMARY KEY (buyer_id, id),
  CONSTRAINT price_check_in_request UNIQUE (buyer_id, request_id, id),
  FOREIGN KEY (buyer_id, deal_set_id) REFERENCES deal_set (buyer_id, id) ON DELETE CASCADE,
  CONSTRAINT price_check_price_whole
    CHECK (otd_cents IS NOT NULL OR (selling_price_cents IS NULL AND written_at IS NULL))
);
CREATE INDEX price_check_active_single ON price_check (buyer_id, requested_at DESC, id)
  WHERE deal_set_id IS NULL AND ended IS NULL AND archived_at IS NULL;
CREATE INDEX price_check_dealership ON price_check (dealership_id);
CREATE INDEX price_check_id ON price_check (id);

-- Children carry their request, so that a request's open items and replies are one index probe away.
-- The foreign key keeps the copy true; a trigger fills it in.
CREATE TABLE question (
  buyer_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  price_check_id uuid NOT NULL,
  prompt_id token,
  category token NOT NULL,
  text text NOT NULL CHECK (char_length(text) <= 10000),
  answer_mode token NOT NULL,
  otd_cents cents,
  asked_at timestamptz NOT NULL,
  answered_at timestamptz,
  PRIMARY KEY (buyer_id, id),
  FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX question_of_price_check ON question (buyer_id, request_id, price_check_id);
CREATE INDEX question_open ON question (buyer_id, request_id) WHERE answered_at IS NULL;
CREATE INDEX question_id ON question (id);

CREATE TABLE draft (
  buyer_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  price_check_id uuid NOT NULL,
  body text NOT NULL CHECK (char_length(body) <= 100000),
  created_at timestamptz NOT NULL,
  resolved_at timestamptz,
  PRIMARY KEY (buyer_id, id),
  FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX draft_of_price_check ON draft (buyer_id, request_id, price_check_id);
CREATE INDEX draft_open ON draft (buyer_id, request_id) WHERE resolved_at IS NULL;
CREATE INDEX draft_id ON draft (id);

CREATE TABLE reply (
  buyer_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  price_check_id uuid NOT NULL,
  -- The service's own receipt time, not the sender's.
  received_at timestamptz NOT NULL,
  PRIMARY KEY (buyer_id, id),
  FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX reply_received ON reply (buyer_id, request_id, received_at);
CREATE INDEX reply_of_price_check ON reply (buyer_id, request_id, price_check_id);
CREATE INDEX reply_id ON reply (id);

CREATE FUNCTION child_takes_request() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  SELECT pc.request_id INTO NEW.request_id
  FROM price_check pc WHERE pc.buyer_id = NEW.buyer_id AND pc.id = NEW.price_check_id;
  RETURN NEW;
END $$;

CREATE TRIGGER question_takes_request BEFORE INSERT OR UPDATE OF buyer_id, price_check_id ON question
  FOR EACH ROW EXECUTE FUNCTION child_takes_request();
CREATE TRIGGER draft_takes_request BEFORE INSERT OR UPDATE OF buyer_id, price_check_id ON draft
  FOR EACH ROW EXECUTE FUNCTION child_takes_request();
CREATE TRIGGER reply_takes_request BEFORE INSERT OR UPDATE OF buyer_id, price_check_id ON reply
  FOR EACH ROW EXECUTE FUNCTION child_takes_request();
