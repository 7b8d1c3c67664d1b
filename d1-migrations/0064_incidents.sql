-- What is paid and not ended, and the height at which it last got further: a row for each item, withdrawal, lane or deposit.
CREATE TABLE progress (
  blockchain TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('item', 'withdrawal', 'lane', 'deposit')),
  id TEXT NOT NULL,
  -- changes when it gets further
  mark TEXT NOT NULL,
  height INTEGER NOT NULL,
  PRIMARY KEY (blockchain, kind, id)
) STRICT;

-- What an operator has to look at, as long as it lasts: one row for each chain and code.
CREATE TABLE incidents (
  blockchain TEXT NOT NULL,
  code TEXT NOT NULL CHECK (code IN ('lanes_full', 'not_moved')),
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (blockchain, code)
) STRICT;
