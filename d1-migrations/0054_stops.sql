-- What of a chain does not go on, and why: one row for each cause, and it goes on when no row is left.
CREATE TABLE stops (
  blockchain TEXT NOT NULL,
  part TEXT NOT NULL CHECK (part IN ('payouts', 'writing')),
  -- hand: an operator; restored: the database is older than what was paid out; difference: two comparisons of ledger,
  -- wallet and chain differed; records: the bucket takes no record of a payout
  cause TEXT NOT NULL CHECK (cause IN ('hand', 'restored', 'difference', 'records')),
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (blockchain, part, cause)
) STRICT;

-- Since when each comparison has differed; NULL where the last agreed, or was made while something moved.
ALTER TABLE reconciliations ADD COLUMN differs_since INTEGER;
