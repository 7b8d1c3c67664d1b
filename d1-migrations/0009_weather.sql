-- What an agent could not process, with the reason. The rest goes on without it, and it is tried again later.
CREATE TABLE set_aside (
  blockchain TEXT NOT NULL,
  -- payment (id: a txid), request, credit (a user), address, item, lane
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  reason TEXT NOT NULL,
  tries INTEGER NOT NULL,
  since INTEGER NOT NULL,
  retry_at INTEGER NOT NULL,
  PRIMARY KEY (blockchain, kind, id)
) STRICT, WITHOUT ROWID;

-- How each chain's agent is.
CREATE TABLE chain_states (
  blockchain TEXT PRIMARY KEY,
  -- hash of the node's block 0, the first time it was seen: another one is another network
  genesis TEXT,
  -- when a step last ended well, and when its last new block was met
  stepped_at INTEGER,
  tip_hash TEXT,
  tip_at INTEGER,
  -- why steps fail now; NULL when they do not
  problem TEXT,
  problem_since INTEGER
) STRICT;

-- 1: replaced, or forgotten for weeks. It is not asked about any more; a block that has it brings it back.
ALTER TABLE outputs ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
-- since when it is in no block and not in the mempool
ALTER TABLE outputs ADD COLUMN gone_at INTEGER;

-- What a step looks at: only what is open, however much there ever was.
CREATE INDEX outputs_open ON outputs (blockchain, address) WHERE credited = 0 AND dropped = 0;
CREATE INDEX outputs_to_check ON outputs (blockchain, txid) WHERE block_height IS NULL AND dropped = 0;
CREATE INDEX outputs_suspended ON outputs (blockchain, address) WHERE credited = 1 AND block_height IS NULL;
CREATE INDEX transactions_dead_kept ON transactions (blockchain, bundle) WHERE state = 'dead' AND bundle != '';
