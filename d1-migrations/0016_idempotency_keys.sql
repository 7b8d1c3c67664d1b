-- What was answered to a POST that carried an `Idempotency-Key`, for a day.
CREATE TABLE idempotency_keys (
  user_id TEXT NOT NULL,
  key TEXT NOT NULL,
  -- SHA-256 of method, path and body, hex
  request TEXT NOT NULL,
  -- who works on it: another one once it was taken over
  attempt TEXT NOT NULL,
  -- until when nobody takes it over, milliseconds
  busy_until INTEGER NOT NULL,
  -- the answer, JSON text; NULL while there is none
  status INTEGER,
  body TEXT,
  -- grows by one with each key of a user, so that how many there are at most is known from the first and the last
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT;

CREATE INDEX idempotency_keys_by_seq ON idempotency_keys (user_id, seq);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
