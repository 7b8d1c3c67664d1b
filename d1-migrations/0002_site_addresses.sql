-- Readable addresses of sites, `<label>.<storage host>`. A row is never deleted, nor given to another account, not even
-- after the account is closed: browsers still have service workers and storage of the origin.
CREATE TABLE site_addresses (
  label TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  -- the site whose address it is, or was last
  site_id TEXT NOT NULL,
  since_at INTEGER NOT NULL,
  -- when it ceased to be the address of the site; NULL while it is
  until_at INTEGER,
  -- when a moderator withdrew it: it is nobody's any more
  withdrawn_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX site_addresses_of_site ON site_addresses (site_id) WHERE until_at IS NULL;
CREATE INDEX site_addresses_by_user ON site_addresses (user_id);
