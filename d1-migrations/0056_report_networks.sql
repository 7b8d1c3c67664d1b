-- The network that something was reported from first: of one there are only so many that wait.
ALTER TABLE reports ADD COLUMN network TEXT;
CREATE INDEX reports_open_by_network ON reports (network) WHERE status = 'open' AND network IS NOT NULL;

-- From which networks a thing was reported, while nobody has decided: each counts once.
CREATE TABLE report_networks (
  report TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  -- the first 24 bits of an IPv4 address, 48 of an IPv6 address; '' where it is not known
  network TEXT NOT NULL,
  PRIMARY KEY (report, network)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER report_networks_end AFTER UPDATE OF status ON reports WHEN NEW.status <> 'open'
BEGIN
  DELETE FROM report_networks WHERE report = NEW.id;
END;
