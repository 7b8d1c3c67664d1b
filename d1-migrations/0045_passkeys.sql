-- Passkeys (WebAuthn), with which an account logs in beside its password.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- base64url, as browsers send it
  credential_id TEXT NOT NULL UNIQUE,
  -- COSE key, base64url
  public_key TEXT NOT NULL,
  -- how often the authenticator said that it was used; 0 for those that do not count
  counter INTEGER NOT NULL,
  -- JSON list: how browsers reach it
  transports TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at);

-- Challenges that were answered; each is good once. They are signed, so that none that waits is kept.
CREATE TABLE passkey_challenges (
  challenge TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at);
