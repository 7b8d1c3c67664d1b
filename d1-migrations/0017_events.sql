-- What happened to an account, for its streams and webhooks: written in the batch of what it tells of, kept for a week.
CREATE TABLE events (
  -- In the order of the commits; the number by which a stream goes on. Never given twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  -- one of worker/storage/events/event-types.ts
  type TEXT NOT NULL,
  -- what it happened to: an item, an address, a withdrawal
  subject TEXT NOT NULL,
  -- JSON
  data TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX events_by_user ON events (user_id, seq);
CREATE INDEX events_by_age ON events (at);
-- How far an item is: only the latest is kept.
CREATE UNIQUE INDEX events_of_progress ON events (subject) WHERE type = 'item.progress';

-- The streams that are open, so that an account has no more than a few. One that was abandoned expires.
CREATE TABLE event_streams (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX event_streams_by_user ON event_streams (user_id, expires_at);
CREATE INDEX event_streams_by_expiry ON event_streams (expires_at);

-- A stream tells of the items that changed since it last looked.
CREATE INDEX items_by_change ON items (user_id, updated_at);
