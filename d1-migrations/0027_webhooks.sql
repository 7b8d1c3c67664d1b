-- Addresses that are told of an account's events (Standard Webhooks).
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- `whsec_` and base64: what each message is signed with. Shown once.
  secret TEXT NOT NULL,
  -- JSON list of the types of events that it is told of
  types TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- since when no message was taken; NULL while the last one was
  failing_since INTEGER,
  -- what the last failure was
  problem TEXT,
  -- when it was turned off, which is for good; NULL while it is on
  off_at INTEGER
) STRICT;

CREATE INDEX webhooks_by_user ON webhooks (user_id, created_at);

-- An event that a webhook has not taken yet.
CREATE TABLE webhook_deliveries (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_seq INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, event_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at);

-- Up to which event the deliveries were made.
CREATE TABLE webhook_position (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL
) STRICT;
INSERT INTO webhook_position (id, seq) VALUES (1, 0);
