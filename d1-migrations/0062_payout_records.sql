-- How many payouts of a chain were begun. The chain's agent has the same number in its own storage: where that is higher, this
-- database was restored to an earlier moment.
CREATE TABLE payout_numbers (
  blockchain TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT;
-- The agent's number when a stop of the cause `restored` began.
ALTER TABLE stops ADD COLUMN number INTEGER;

-- What left a wallet by transactions that this database does not know, until an operator says what they were.
CREATE TABLE sends (
  blockchain TEXT NOT NULL,
  txid TEXT NOT NULL,
  -- base units, decimal, without the network's fee
  amount TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  -- as what it was assigned; NULL until then
  assigned TEXT CHECK (assigned IN ('withdrawal', 'sweep', 'foreign')),
  -- of a withdrawal, what the balance of its account lacked
  loss TEXT NOT NULL DEFAULT '0',
  PRIMARY KEY (blockchain, txid)
) STRICT;
CREATE INDEX sends_unassigned ON sends (blockchain, seen_at) WHERE assigned IS NULL;

-- Up to which block each wallet was searched for what left it, and when.
CREATE TABLE send_scans (
  blockchain TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  height INTEGER NOT NULL,
  compared_at INTEGER NOT NULL
) STRICT;

-- What left the wallet and is not assigned, when each chain was last compared; base units.
ALTER TABLE reconciliations ADD COLUMN unassigned TEXT NOT NULL DEFAULT '0';
