-- The tables, their domains and their indexes.
--
-- Every primary key and foreign key of a buyer's data starts with buyer_id, so that the
-- tables can be partitioned or distributed by buyer through configuration alone. Ids are unique per
-- buyer in these tables; the import rejects an id that already belongs to another buyer.
--
-- The tables use no functions. The functions are in sql/, and every `deal-sets migrate` that finds
-- them changed creates them again.

-- Responses contain amounts and counts as JSON integers. 2^53 - 1 is the largest integer that every
-- client reads exactly.
CREATE DOMAIN deal_sets.cents AS bigint CHECK (VALUE BETWEEN 0 AND 9007199254740991);
-- The website's codes, which assistants see. They are too short for sentences and contain no
-- spaces. They are compared with nothing.
CREATE DOMAIN deal_sets.token AS text CHECK (VALUE ~ '^[A-Za-z0-9_.:-]{1,64}$');
CREATE DOMAIN deal_sets.word_token AS text CHECK (VALUE ~ '^[A-Za-z][A-Za-z0-9_.:-]{0,63}$');
CREATE DOMAIN deal_sets.short_text AS text CHECK (char_length(VALUE) <= 200);
-- A text must contain a visible character. White space, control characters, Unicode's
-- default-ignorable characters and the braille blank are not visible.
CREATE DOMAIN deal_sets.visible_text AS text CONSTRAINT not_blank CHECK (VALUE !~
  '^[\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*$');
CREATE DOMAIN deal_sets.car_year AS integer CHECK (VALUE BETWEEN 1886 AND 2100);
CREATE DOMAIN deal_sets.miles AS double precision CHECK (VALUE >= 0 AND VALUE <= 25000);
-- Times that ISO 8601 writes with a four-digit year. Infinity and later years are excluded.
CREATE DOMAIN deal_sets.instant AS timestamptz
  CHECK (VALUE >= timestamptz '0001-01-01 00:00:00+00' AND VALUE < timestamptz '10000-01-01 00:00:00+00');

CREATE TABLE deal_sets.buyer (
  id uuid PRIMARY KEY,
  changes_granted boolean NOT NULL DEFAULT false
);

-- SHA-256 of the id of each erased buyer, so that an import does not restore the buyer.
CREATE TABLE deal_sets.erased_buyer (
  id_sha256 bytea PRIMARY KEY CHECK (octet_length(id_sha256) = 32)
);

CREATE TABLE deal_sets.dealership (
  id uuid PRIMARY KEY,
  -- Plain text: labels contain it as it is.
  name deal_sets.visible_text NOT NULL CHECK (char_length(name) <= 300)
    CONSTRAINT name_without_control_or_direction_characters
      CHECK (name !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]')
    CONSTRAINT name_without_html_entity CHECK (name !~ '&([A-Za-z][A-Za-z0-9]*;|#)')
    CONSTRAINT name_without_html_tag CHECK (name !~ '<([/?]?[A-Za-z]|!)'),
  phone deal_sets.short_text,
  email text CHECK (char_length(email) <= 320),
  website text CHECK (char_length(website) <= 2048),
  -- Null while it is not known.
  verified_partner boolean
);

CREATE TABLE deal_sets.buyer_session (
  buyer_id uuid NOT NULL REFERENCES deal_sets.buyer (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  token_sha256 bytea NOT NULL CHECK (octet_length(token_sha256) = 32),
  expires_at deal_sets.instant NOT NULL,
  revoked_at deal_sets.instant,
  PRIMARY KEY (buyer_id, id)
);
CREATE INDEX buyer_session_token ON deal_sets.buyer_session (token_sha256);

CREATE TABLE deal_sets.assistant_grant (
  buyer_id uuid NOT NULL REFERENCES deal_sets.buyer (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- An assistant's id can be the URL of its client metadata document.
  client_id text NOT NULL CHECK (client_id ~ '^[\x21-\x7e]+$' AND char_length(client_id) <= 256),
  scopes text[] NOT NULL CHECK (array_position(scopes, NULL) IS NULL),
  is_hosted boolean NOT NULL DEFAULT false,
  granted_at deal_sets.instant NOT NULL,
  -- When the approval ends by itself; null if it does not.
  expires_at deal_sets.instant,
  revoked_at deal_sets.instant,
  PRIMARY KEY (buyer_id, id)
);
CREATE UNIQUE INDEX assistant_grant_live ON deal_sets.assistant_grant (buyer_id, client_id) WHERE revoked_at IS NULL;

CREATE TABLE deal_sets.deal_set (
  buyer_id uuid NOT NULL REFERENCES deal_sets.buyer (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  car_year deal_sets.car_year NOT NULL,
  car_make deal_sets.visible_text NOT NULL CHECK (char_length(car_make) <= 200),
  car_model deal_sets.visible_text NOT NULL CHECK (char_length(car_model) <= 200),
  car_trim deal_sets.short_text,
  car_exterior_color deal_sets.short_text,
  car_interior_color deal_sets.short_text,
  car_drivetrain deal_sets.short_text,
  car_powertrain deal_sets.short_text,
  buyer_zip text CHECK (buyer_zip ~ '^[0-9]{5}(-[0-9]{4})?$'),
  radius_miles deal_sets.miles,
  dealers_found integer CHECK (dealers_found >= 0),
  created_at deal_sets.instant NOT NULL,
  ended_at deal_sets.instant,
  PRIMARY KEY (buyer_id, id)
);
CREATE INDEX deal_set_id ON deal_sets.deal_set (id);

CREATE TABLE deal_sets.price_check (
  buyer_id uuid NOT NULL REFERENCES deal_sets.buyer (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- Null for a request to a single dealership.
  deal_set_id uuid,
  -- The request that this price check belongs to: its deal set, or the price check itself.
  request_id uuid NOT NULL GENERATED ALWAYS AS (coalesce(deal_set_id, id)) STORED,
  -- RESTRICT, because a statement that gives the id to another dealership would bypass the decision
  -- about its name.
  dealership_id uuid NOT NULL REFERENCES deal_sets.dealership (id) ON UPDATE RESTRICT ON DELETE RESTRICT,

  -- The listing as it was imported. No reading role may select these columns.
  listing_year deal_sets.car_year,
  listing_make deal_sets.short_text,
  listing_model deal_sets.short_text,
  listing_trim deal_sets.short_text,
  listing_exterior_color deal_sets.short_text,
  listing_mileage integer CHECK (listing_mileage BETWEEN 0 AND 9999999),
  listing_listed_at_cents deal_sets.cents,

  -- What may be shown to anyone of the listing and of the dealership. A mileage above a million
  -- miles, and a list price below one dollar or above ten million dollars, count as unknown. A
  -- trigger of sql/listings.sql decides the texts and copies the partner status.
  shown_year integer GENERATED ALWAYS AS (listing_year) STORED,
  shown_mileage integer GENERATED ALWAYS AS (
    CASE WHEN listing_mileage <= 1000000 THEN listing_mileage END
  ) STORED,
  shown_listed_at_cents bigint GENERATED ALWAYS AS (
    CASE WHEN listing_listed_at_cents BETWEEN 100 AND 1000000000 THEN listing_listed_at_cents END
  ) STORED,
  shown_make text,
  shown_model text,
  shown_trim text,
  shown_exterior_color text,
  shown_verified_partner boolean NOT NULL DEFAULT false,

  distance_miles deal_sets.miles,
  requested_at deal_sets.instant NOT NULL,
  answer text CHECK (answer IN ('same_car', 'different_car')),
  otd_cents deal_sets.cents,
  selling_price_cents deal_sets.cents,
  -- Null unless the price is in writing.
  written_at deal_sets.instant,
  -- When the dealership completed and sent its offer.
  finished_at deal_sets.instant,
  ended text CHECK (ended IN ('sold', 'closed_with_price', 'no_price', 'timed_out')),
  ended_at deal_sets.instant,
  unlocked_at deal_sets.instant,
  chosen_at deal_sets.instant,
  archived_at deal_sets.instant,

  -- What every reader of a price check derives from it: whether the buyer sees the dealership,
  -- whether the price is in writing, and the state of the row (contract, section 3.1). A row that
  -- has ended stays ended; otherwise, an answer for a different car takes precedence over a written
  -- price.
  is_seen boolean NOT NULL GENERATED ALWAYS AS (unlocked_at IS NOT NULL OR chosen_at IS NOT NULL) STORED,
  is_written boolean NOT NULL GENERATED ALWAYS AS (written_at IS NOT NULL) STORED,
  state text NOT NULL GENERATED ALWAYS AS (
    CASE
      WHEN ended IS NOT NULL THEN 'ended'
      WHEN answer = 'different_car' THEN 'different_car'
      WHEN written_at IS NOT NULL THEN 'written'
      ELSE 'waiting'
    END
  ) STORED,
  PRIMARY KEY (buyer_id, id),
  CONSTRAINT price_check_in_request UNIQUE (buyer_id, request_id, id),
  FOREIGN KEY (buyer_id, deal_set_id) REFERENCES deal_sets.deal_set (buyer_id, id) ON DELETE CASCADE,
  CONSTRAINT price_check_price_whole
    CHECK (otd_cents IS NOT NULL OR (selling_price_cents IS NULL AND written_at IS NULL)),
  CONSTRAINT closed_with_price_requires_a_price_in_writing
    CHECK (ended <> 'closed_with_price' OR written_at IS NOT NULL),
  CONSTRAINT no_price_excludes_a_price_in_writing_for_the_same_car
    CHECK (ended <> 'no_price' OR written_at IS NULL OR answer IS NOT DISTINCT FROM 'different_car')
);
CREATE INDEX price_check_dealership ON deal_sets.price_check (dealership_id);
CREATE INDEX price_check_id ON deal_sets.price_check (id);

-- A question, draft or reply stores its request, so that one index look-up finds a request's open
-- items and replies. A trigger sets it. The foreign key guarantees that the copy is correct and
-- moves the row with its price check.
CREATE TABLE deal_sets.question (
  buyer_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  price_check_id uuid NOT NULL,
  prompt_id deal_sets.token,
  category deal_sets.word_token NOT NULL,
  text text NOT NULL CHECK (char_length(text) <= 10000),
  -- What the buyer may read while the row is hidden: the writer has cleared it. Null if there is no
  -- such text.
  text_while_hidden deal_sets.visible_text CHECK (char_length(text_while_hidden) <= 10000),
  answer_mode deal_sets.word_token NOT NULL,
  otd_cents deal_sets.cents,
  asked_at deal_sets.instant NOT NULL,
  answered_at deal_sets.instant,
  PRIMARY KEY (buyer_id, id),
  FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES deal_sets.price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX question_of_price_check ON deal_sets.question (buyer_id, request_id, price_check_id);
CREATE INDEX question_open ON deal_sets.question (buyer_id, request_id) WHERE answered_at IS NULL;
CREATE INDEX question_id ON deal_sets.question (id);

CREATE TABLE deal_sets.draft (
  buyer_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  price_check_id uuid NOT NULL,
  body text NOT NULL CHECK (char_length(body) <= 100000),
  -- As text_while_hidden of a question.
  body_while_hidden deal_sets.visible_text CHECK (char_length(body_while_hidden) <= 100000),
  created_at deal_sets.instant NOT NULL,
  resolved_at deal_sets.instant,
  PRIMARY KEY (buyer_id, id),
  FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES deal_sets.price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX draft_of_price_check ON deal_sets.draft (buyer_id, request_id, price_check_id);
CREATE INDEX draft_open ON deal_sets.draft (buyer_id, request_id) WHERE resolved_at IS NULL;
CREATE INDEX draft_id ON deal_sets.draft (id);

CREATE TABLE deal_sets.reply (
  buyer_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  price_check_id uuid NOT NULL,
  -- When the reply became readable: the stamp of the transaction that stored it. The stamp is later
  -- than every Service-As-Of that was returned before. Null only inside that transaction.
  feed_at timestamptz(3) CONSTRAINT reply_arrived_after_1970 CHECK (feed_at > timestamptz '1970-01-01 00:00:00+00'),
  PRIMARY KEY (buyer_id, id),
  FOREIGN KEY (buyer_id, request_id, price_check_id)
    REFERENCES deal_sets.price_check (buyer_id, request_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX reply_readable ON deal_sets.reply (buyer_id, request_id, feed_at) INCLUDE (price_check_id);
CREATE INDEX reply_of_price_check ON deal_sets.reply (buyer_id, request_id, price_check_id);
CREATE INDEX reply_unstamped ON deal_sets.reply (buyer_id) WHERE feed_at IS NULL;
CREATE INDEX reply_id ON deal_sets.reply (id);

-- The feed, and what the list shows: one row for each request, which is a deal set with its price
-- checks or a single price check. The code in sql/ writes it, and an import gives history its times.
CREATE TABLE deal_sets.request_feed (
  buyer_id uuid NOT NULL REFERENCES deal_sets.buyer (id) ON DELETE CASCADE,
  request_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('deal_set', 'single')),
  -- Whole milliseconds, so that clients receive exactly the time that a later `since` is compared
  -- with.
  feed_at timestamptz(3) NOT NULL,
  -- False if the time of the newest change is unknown; feed_at is then when the request was
  -- recorded.
  is_time_known boolean NOT NULL,
  -- True only inside a transaction that has changed the request, until its commit stamps it.
  is_marked boolean NOT NULL,

  -- When the request was created. It determines the request's position in the plain list.
  requested_at timestamptz,
  is_active boolean NOT NULL DEFAULT false,
  has_ended boolean,
  is_archived boolean,
  has_finished boolean,
  -- The requested car of a deal set; the car that the listing shows for a single request.
  car_year integer,
  car_make text,
  car_model text,
  -- Set for single requests only: the trim of the listing. The trim that the buyer of a deal set
  -- asked for is read from deal_set.
  listed_trim text,
  written integer,
  waiting integer,
  different_car integer,
  ended integer,
  ended_with_price integer,
  closed_with_price integer,
  lowest_written_otd_cents bigint,
  needs_you integer,
  -- The ids of all price checks in ascending order, joined by commas. A uuid[] costs several times
  -- as much to send.
  member_ids text,
  -- The facts for the labels of chosen rows: an array of objects in the order of the rows' ids.
  chosen json,
  -- For the buyer only: the hero's exact distance, and whether the buyer may see its dealership's
  -- name.
  lowest_written_distance_miles double precision,
  is_lowest_written_seen boolean,
  -- For the buyer only: the dealerships of the chosen rows, in the order of `chosen`, and the
  -- dealership of a single request once the buyer may see its name. Names are looked up by these
  -- ids and never stored here.
  chosen_dealership_ids uuid[],
  dealership_id uuid,
  -- Includes feed_at and is_time_known, so that a look-up by key can read them from this index
  -- alone.
  PRIMARY KEY (buyer_id, request_id, kind) INCLUDE (feed_at, is_time_known),
  -- A request that can be read has the values that its entry in the list needs. They are null only
  -- until the commit that inserts the request computes them.
  CONSTRAINT request_feed_computed CHECK (
    is_marked
    OR num_nulls(requested_at, has_ended, is_archived, has_finished, needs_you) = 0
      AND (kind = 'single' OR num_nulls(car_year, car_make, car_model, written, waiting, different_car, ended,
        ended_with_price, closed_with_price) = 0)
  ),
  -- A client that reads everything begins there, and receives what was stamped after it.
  CONSTRAINT stamp_after_1970 CHECK (is_marked OR feed_at > timestamptz '1970-01-01 00:00:00+00')
);
-- Every entry of a list includes its member ids. Up to about three hundred ids stay in the row
-- instead of being moved to separate storage.
ALTER TABLE deal_sets.request_feed SET (toast_tuple_target = 8160);
ALTER TABLE deal_sets.request_feed ALTER COLUMN member_ids SET STORAGE EXTERNAL;
CREATE INDEX request_feed_page ON deal_sets.request_feed (buyer_id, feed_at) INCLUDE (request_id, kind, is_time_known);
CREATE INDEX request_feed_active ON deal_sets.request_feed (buyer_id, kind, requested_at DESC, request_id) WHERE is_active;
CREATE INDEX request_feed_marked ON deal_sets.request_feed (buyer_id, request_id) WHERE is_marked;

-- The state of this database for `deal-sets migrate` and `deal-sets rebuild`.
CREATE TABLE deal_sets.schema_code (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- The version number and the hash of the code in sql/ that was applied last.
  number integer NOT NULL DEFAULT 0,
  hash text NOT NULL DEFAULT '',
  -- The hash of the rules that compute stored rows, and whether they have changed since the last
  -- complete rebuild.
  rules_hash text NOT NULL DEFAULT '',
  needs_rebuild boolean NOT NULL DEFAULT false
);
INSERT INTO deal_sets.schema_code DEFAULT VALUES;
