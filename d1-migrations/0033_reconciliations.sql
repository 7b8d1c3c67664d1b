-- What ledger, wallet and chain said of each chain's money when they were last compared; base units, decimal.
CREATE TABLE reconciliations (
  blockchain TEXT PRIMARY KEY,
  ledger TEXT NOT NULL,
  wallet TEXT NOT NULL,
  chain TEXT NOT NULL,
  -- what the ledger owes to accounts, and what the wallet holds
  owed TEXT NOT NULL,
  held TEXT NOT NULL,
  read_at INTEGER NOT NULL
) STRICT;

-- When a comparison was last asked for by the command beside the service, and when one was last begun.
CREATE TABLE reconciliation_asks (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  asked_at INTEGER NOT NULL,
  begun_at INTEGER NOT NULL
) STRICT;
INSERT INTO reconciliation_asks (id, asked_at, begun_at) VALUES (1, 0, 0);
