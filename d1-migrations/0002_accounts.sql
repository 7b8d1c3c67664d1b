CREATE TABLE users (
  id TEXT PRIMARY KEY,
  -- lower-cased
  email TEXT NOT NULL UNIQUE,
  -- $scrypt$ln=15,r=8,p=3$<salt>$<hash>
  password_hash TEXT NOT NULL,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  role TEXT NOT NULL DEFAULT 'user',
  -- 0 closed, 1 active, 2 email pending, 3 identity pending
  status INTEGER NOT NULL,
  -- Counts up when every token of the user ends at once; tokens carry the value they were made under.
  token_epoch INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX users_by_status ON users (status, created_at, id);

-- The live refresh tokens; one that is revoked is deleted.
CREATE TABLE sessions (
  jti TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id, expires_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- The live links that were mailed; one that is used is deleted. The link itself is a token signed for `jti`.
CREATE TABLE mail_links (
  jti TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- verify or reset
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX mail_links_by_user ON mail_links (user_id, kind);
CREATE INDEX mail_links_by_expiry ON mail_links (expires_at);

-- Mail that has not been taken by the provider yet; written with what it tells of, deleted when it is sent.
CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  recipient TEXT NOT NULL,
  -- which text: verify, reset, known or closed
  template TEXT NOT NULL,
  link_jti TEXT,
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL
) STRICT;

CREATE INDEX mails_by_next_attempt ON mails (next_attempt_at);

-- Failed logins, those under way, and requests for mail, for as long as they count against somebody.
CREATE TABLE attempts (
  id TEXT PRIMARY KEY,
  -- pending, login (failed) or mail
  kind TEXT NOT NULL,
  -- SHA-256 of the email address, hex: it may be anything that somebody typed
  address TEXT NOT NULL,
  client TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX attempts_by_address ON attempts (kind, address, client, at);
CREATE INDEX attempts_by_client ON attempts (kind, client, at);
