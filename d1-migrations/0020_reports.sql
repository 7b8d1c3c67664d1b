-- What people reported to be denied: a row for each thing, however often it is reported.
CREATE TABLE reports (
  -- an object id: reports in order of their ids are in order of time
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- as in `denied`
  digest TEXT NOT NULL,
  value TEXT NOT NULL,
  -- where it was seen, for a txid; NULL where nobody said
  blockchain TEXT,
  -- open, denied or dismissed
  status TEXT NOT NULL DEFAULT 'open',
  -- how many reports there were of it
  reports INTEGER NOT NULL DEFAULT 1,
  -- a user's id, milliseconds, and why
  decided_by TEXT,
  decided_at INTEGER,
  decision TEXT
) STRICT;

CREATE UNIQUE INDEX reports_by_digest ON reports (kind, digest);
CREATE INDEX reports_by_status ON reports (status, id);

-- What the first reporters of a thing said of it.
CREATE TABLE report_statements (
  report TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  -- the first report is 1
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  evidence TEXT,
  PRIMARY KEY (report, number)
) STRICT, WITHOUT ROWID;

-- Who reported within the last hour: a client's address, or the /64 of one.
CREATE TABLE report_clients (
  client TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX report_clients_by_client ON report_clients (client, at);
CREATE INDEX report_clients_by_age ON report_clients (at);

-- How many reports are open: the queue has a limit, and counting it would read all of it.
CREATE TABLE open_reports (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  count INTEGER NOT NULL
) STRICT;

INSERT INTO open_reports (id, count) VALUES (1, 0);

CREATE TRIGGER report_is_made AFTER INSERT ON reports
BEGIN
  UPDATE open_reports SET count = count + (NEW.status = 'open');
END;

CREATE TRIGGER report_is_decided AFTER UPDATE OF status ON reports
BEGIN
  UPDATE open_reports SET count = count + (NEW.status = 'open') - (OLD.status = 'open');
END;

CREATE TRIGGER report_is_removed AFTER DELETE ON reports
BEGIN
  UPDATE open_reports SET count = count - (OLD.status = 'open');
END;
