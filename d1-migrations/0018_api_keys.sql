-- Keys for programs, which act for an account within their scopes.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- SHA-256 of the key, hex: the key itself is shown once and kept nowhere
  hash TEXT NOT NULL UNIQUE,
  -- JSON list of read, store, pay, sites
  scopes TEXT NOT NULL,
  -- JSON: the most base units that it may spend of a chain on a UTC day, as decimal text; NULL: no limit
  spending TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- to the minute
  last_used_at INTEGER
) STRICT;

CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at);

-- What keys with a limit have spent.
CREATE TABLE api_key_spending (
  key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  blockchain TEXT NOT NULL,
  -- days since 1970, UTC
  day INTEGER NOT NULL,
  -- base units, decimal
  amount TEXT NOT NULL,
  PRIMARY KEY (key_id, blockchain, day)
) STRICT;

CREATE INDEX api_key_spending_by_day ON api_key_spending (day);
