-- A name of its own that shows one stored item, its current version; another one after the next switch.
CREATE TABLE sites (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- how many versions there are, which is the number of the latest
  versions INTEGER NOT NULL DEFAULT 0,
  -- the number of the version that is shown; NULL before the first
  current INTEGER,
  -- how often another version was made current
  switches INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sites_by_user ON sites (user_id, created_at, id);

-- An item is a version of a site once: a repeated request makes no second one.
CREATE TABLE site_versions (
  site_id TEXT NOT NULL REFERENCES sites (id),
  number INTEGER NOT NULL,
  item_id TEXT NOT NULL REFERENCES items (id),
  note TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (site_id, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX site_versions_by_item ON site_versions (site_id, item_id);

-- What was current when, and who made it so. `switch` counts the switches of a site.
CREATE TABLE site_periods (
  site_id TEXT NOT NULL REFERENCES sites (id),
  switch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  -- NULL while it is current
  until_at INTEGER,
  -- the account, and its name or its key's at that time
  user_id TEXT NOT NULL,
  made_by TEXT NOT NULL,
  PRIMARY KEY (site_id, switch)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX site_periods_open ON site_periods (site_id) WHERE until_at IS NULL;
CREATE INDEX site_periods_by_version ON site_periods (site_id, number, switch);

-- Sites and items are found under the same kind of host, so no id may be one of both. D1 has one writer at a time.
CREATE TRIGGER site_id_is_no_item BEFORE INSERT ON sites
WHEN EXISTS (SELECT 1 FROM items WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: the id of an item');
END;

CREATE TRIGGER item_id_is_no_site BEFORE INSERT ON items
WHEN EXISTS (SELECT 1 FROM sites WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: the id of a site');
END;
