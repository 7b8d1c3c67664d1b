-- A domain shows an item or, with `kind`, a site: `item_id` is the id of either.
ALTER TABLE domains ADD COLUMN kind TEXT NOT NULL DEFAULT 'item' CHECK (kind IN ('item', 'site'));
-- The steps of the last check, as JSON.
ALTER TABLE domains ADD COLUMN steps TEXT;
-- When DNS last named the item or site as we looked, and when we looked.
ALTER TABLE domains ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE domains ADD COLUMN looked_at INTEGER NOT NULL DEFAULT 0;

CREATE INDEX domains_by_look ON domains (looked_at);
CREATE INDEX domains_by_item ON domains (item_id, host);
-- What waits for its certificate, account by account; and what is to be removed at Cloudflare.
DROP INDEX domains_pending;
CREATE INDEX domains_pending ON domains (user_id, asked_at) WHERE status NOT IN ('active', 'removing');
CREATE INDEX domains_removing ON domains (asked_at) WHERE status = 'removing';

-- Hosts whose record is not there yet. Any number of accounts may wait for one host.
CREATE TABLE waiting_domains (
  host TEXT NOT NULL,
  user_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('item', 'site')),
  created_at INTEGER NOT NULL,
  -- until when we look each minute
  wait_until INTEGER NOT NULL,
  looked_at INTEGER NOT NULL DEFAULT 0,
  steps TEXT,
  PRIMARY KEY (user_id, host)
) STRICT, WITHOUT ROWID;

CREATE INDEX waiting_domains_by_item ON waiting_domains (item_id, host);
CREATE INDEX waiting_domains_by_end ON waiting_domains (wait_until);
