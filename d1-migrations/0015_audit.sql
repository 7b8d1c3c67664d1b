-- Who did what that somebody may ask about later. Rows are only added: one is never changed, and only those that have
-- a time until which they are kept are deleted, when it is over.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  -- a user's id; 'command' for one that was run beside the service, 'service' for what it did by itself
  actor TEXT NOT NULL,
  -- the user whose account or money it is about, who may read the row; NULL where it is nobody's
  account TEXT,
  -- one of worker/storage/audit/audit-acts.ts
  act TEXT NOT NULL,
  -- what it was done to, as `kind:id`
  subject TEXT,
  reason TEXT,
  blockchain TEXT,
  -- base units, decimal
  amount TEXT,
  -- milliseconds; NULL: for ever
  kept_until INTEGER
) STRICT;

CREATE INDEX audit_by_account ON audit (account, seq);
CREATE INDEX audit_to_sweep ON audit (kept_until) WHERE kept_until IS NOT NULL;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit log is only added to');
END;

-- By the clock of the database: no caller's time shortens how long a row is kept.
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN OLD.kept_until IS NULL OR OLD.kept_until > unixepoch() * 1000
BEGIN
  SELECT RAISE(ABORT, 'the audit log is only added to');
END;
