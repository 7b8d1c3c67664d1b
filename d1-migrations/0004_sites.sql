-- What may not be served. A row is never removed, only lifted: readers follow `seq` and learn of both.
CREATE TABLE denied (
  kind TEXT NOT NULL CHECK (kind IN ('txid', 'cid', 'item')),
  -- 64 hex digits: the txid; the object id, filled up with zeros; of a CID its multihash, so that every
  -- spelling and codec of one content is one row
  digest TEXT NOT NULL,
  -- as a person wrote it, normalised
  value TEXT NOT NULL,
  reason TEXT NOT NULL,
  denied_by TEXT NOT NULL,
  lifted INTEGER NOT NULL DEFAULT 0,
  -- grows with every change of any row
  seq INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (kind, digest)
) STRICT;

CREATE UNIQUE INDEX denied_by_seq ON denied (seq);

-- Hosts of users, claimed and proven; one claim a host.
CREATE TABLE domains (
  host TEXT PRIMARY KEY,
  item_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  -- of the custom hostname at Cloudflare; NULL where none is registered
  custom_hostname_id TEXT,
  -- active, or what Cloudflare says of the custom hostname
  status TEXT NOT NULL,
  -- the DNS record that proved the claim
  record TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  -- when Cloudflare was last asked about it
  asked_at INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX domains_by_user ON domains (user_id, host);
CREATE INDEX domains_pending ON domains (asked_at) WHERE status <> 'active';

-- What DNS last said of a host, so that a resolver that cannot be asked stops no site.
CREATE TABLE domain_answers (
  host TEXT PRIMARY KEY,
  item_id TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;
