-- Sign-ups whose pages wait to be told that the link was followed. One whose address was taken has no row.
CREATE TABLE sign_up_waits (
  wait TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- Of the account at that sign-up: another sign-up or a reset makes it another, and this one is never told.
  token_epoch INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sign_up_waits_by_user ON sign_up_waits (user_id);
CREATE INDEX sign_up_waits_by_expiry ON sign_up_waits (expires_at);
