-- A statement that inserts a 0 here fails its whole batch: how several guarded writes stay all or nothing.
CREATE TABLE assertions (holds INTEGER NOT NULL CHECK (holds = 1)) STRICT;

-- Every address that was ever given out. One belongs to one user and one purpose for ever: money may still
-- arrive after its request was cancelled or a newer one was made.
CREATE TABLE addresses (
  blockchain TEXT NOT NULL,
  address TEXT NOT NULL,
  -- scriptPubKey in hex: what outputs are recognised by
  script TEXT NOT NULL,
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('request', 'deposit')),
  -- current: shown to its user; discarded: a newer one was asked for; retired: has received money
  state TEXT NOT NULL CHECK (state IN ('current', 'discarded', 'retired')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (blockchain, address)
) STRICT;

CREATE INDEX addresses_by_script ON addresses (blockchain, script);
CREATE INDEX addresses_by_user ON addresses (user_id, kind, created_at);
CREATE UNIQUE INDEX addresses_current ON addresses (blockchain, user_id)
  WHERE kind = 'deposit' AND state = 'current';

CREATE TABLE payment_requests (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  -- storage target of the items
  target TEXT NOT NULL,
  -- chain that it is paid on
  blockchain TEXT NOT NULL,
  -- NULL when it was paid from the balance without waiting
  address TEXT,
  -- sorted object ids, joined by commas
  item_set TEXT NOT NULL,
  -- base units, decimal; frozen
  amount TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'seen', 'settled', 'expired', 'cancelled')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (blockchain, address),
  FOREIGN KEY (blockchain, address) REFERENCES addresses (blockchain, address)
) STRICT;

CREATE UNIQUE INDEX payment_requests_open_set ON payment_requests (user_id, item_set)
  WHERE state IN ('open', 'seen');
CREATE INDEX payment_requests_by_state ON payment_requests (blockchain, state);

CREATE TABLE payment_request_items (
  request_id TEXT NOT NULL REFERENCES payment_requests (id),
  item_id TEXT NOT NULL,
  -- 1 while the request waits for money: an item waits in one request at a time
  waiting INTEGER NOT NULL,
  PRIMARY KEY (request_id, item_id)
) STRICT;

CREATE UNIQUE INDEX payment_request_items_waiting ON payment_request_items (item_id) WHERE waiting = 1;
CREATE INDEX payment_request_items_by_item ON payment_request_items (item_id);

-- Outputs that pay an address of ours, as the chain has them now.
CREATE TABLE outputs (
  blockchain TEXT NOT NULL,
  txid TEXT NOT NULL,
  vout INTEGER NOT NULL,
  address TEXT NOT NULL,
  amount TEXT NOT NULL,
  coinbase INTEGER NOT NULL,
  -- when the node first saw it, milliseconds
  seen_at INTEGER NOT NULL,
  in_mempool INTEGER NOT NULL,
  -- place on the best chain; NULL while it has none
  block_hash TEXT,
  block_height INTEGER,
  credited INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (blockchain, txid, vout)
) STRICT;

CREATE INDEX outputs_by_address ON outputs (blockchain, address);
CREATE INDEX outputs_by_height ON outputs (blockchain, block_height);
CREATE INDEX outputs_not_mined ON outputs (blockchain, txid) WHERE block_height IS NULL;
CREATE INDEX outputs_not_credited ON outputs (blockchain, credited) WHERE credited = 0;

-- Append-only; `balance` is the sum so far. Two writers of one `seq` collide, so no entry is computed from a
-- balance that is not the last.
CREATE TABLE ledger (
  user_id TEXT NOT NULL,
  blockchain TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- base units, decimal; credits are positive, debits negative
  amount TEXT NOT NULL,
  balance TEXT NOT NULL CHECK (balance NOT LIKE '-%'),
  -- output:<txid>:<vout> or request:<id>: each moves money once, ever
  cause TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, blockchain, seq),
  UNIQUE (blockchain, cause)
) STRICT;

-- The best chain as we followed it, its last few hundred blocks.
CREATE TABLE blocks (
  blockchain TEXT NOT NULL,
  height INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (blockchain, height)
) STRICT;

-- Up to where the node's wallet was searched for payments.
CREATE TABLE wallet_scans (
  blockchain TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  height INTEGER NOT NULL
) STRICT;

-- One row for each paid item, until it is stored.
CREATE TABLE writes (
  item_id TEXT PRIMARY KEY,
  blockchain TEXT NOT NULL,
  target TEXT NOT NULL,
  request_id TEXT NOT NULL REFERENCES payment_requests (id),
  -- queued: no transaction accepted yet; writing; paused: its payment left the chain; parked: needs an operator
  -- published: 200 OK, its bytes not yet tidied away; done: nothing is left to do
  state TEXT NOT NULL CHECK (state IN ('queued', 'writing', 'paused', 'parked', 'published', 'done')),
  -- an operator let it go on although its payment left the chain
  unbacked INTEGER NOT NULL DEFAULT 0,
  -- an operator asked for it after it was parked: transactions whose coin is gone are made anew
  replan INTEGER NOT NULL DEFAULT 0,
  -- data bytes in each transaction, and how many there are; NULL until the writer planned it
  data_bytes INTEGER,
  transactions INTEGER,
  -- every payload below this index has a transaction
  next_index INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX writes_by_state ON writes (blockchain, state, created_at);
CREATE INDEX writes_by_request ON writes (request_id);

-- A lane is a chain of our transactions, each spending the change of the one before; it starts from one coin.
CREATE TABLE lanes (
  blockchain TEXT NOT NULL,
  id INTEGER NOT NULL,
  coin_txid TEXT NOT NULL,
  coin_vout INTEGER NOT NULL,
  coin_value TEXT NOT NULL,
  -- script of the coin, and of the change all along the lane, in hex
  coin_script TEXT NOT NULL,
  script TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
  PRIMARY KEY (blockchain, id)
) STRICT;

CREATE UNIQUE INDEX lanes_open_coin ON lanes (blockchain, coin_txid, coin_vout) WHERE state = 'open';

-- Every transaction that we signed. Its bytes are in R2, stored before it is sent.
CREATE TABLE transactions (
  blockchain TEXT NOT NULL,
  txid TEXT NOT NULL,
  lane INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  -- NULL on a transaction that only pays for the lane before it (CPFP)
  item_id TEXT,
  item_index INTEGER,
  -- R2 key of the signed bytes of several transactions, and where this one lies in it; '' once they are deleted
  bundle TEXT NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  vsize INTEGER NOT NULL,
  fee TEXT NOT NULL,
  -- the output that the next in the lane spends
  change_vout INTEGER NOT NULL,
  change_value TEXT NOT NULL,
  -- signed; sent: the node has taken it; mined: on the best chain; dead: refused for good, replaced by another
  state TEXT NOT NULL CHECK (state IN ('signed', 'sent', 'mined', 'dead')),
  -- how often it was sent; counted before each time, because a reply may be lost
  attempts INTEGER NOT NULL DEFAULT 0,
  -- height of the best chain when the node first took it
  sent_height INTEGER,
  -- height when it was last known to be in the mempool
  checked_height INTEGER,
  block_hash TEXT,
  block_height INTEGER,
  PRIMARY KEY (blockchain, txid),
  FOREIGN KEY (blockchain, lane) REFERENCES lanes (blockchain, id)
) STRICT;

CREATE UNIQUE INDEX transactions_by_lane ON transactions (blockchain, lane, seq) WHERE state != 'dead';
CREATE UNIQUE INDEX transactions_by_item ON transactions (item_id, item_index)
  WHERE state != 'dead' AND item_id IS NOT NULL;
CREATE INDEX transactions_by_progress ON transactions (item_id, state, block_height);
CREATE INDEX transactions_by_bundle ON transactions (blockchain, bundle);
CREATE INDEX transactions_kept ON transactions (blockchain, block_height) WHERE bundle != '';
CREATE INDEX transactions_by_state ON transactions (blockchain, state);
CREATE INDEX transactions_by_height ON transactions (blockchain, block_height);

-- The outputs that our live transactions spend: no two spend one.
CREATE TABLE transaction_inputs (
  blockchain TEXT NOT NULL,
  prev_txid TEXT NOT NULL,
  prev_vout INTEGER NOT NULL,
  txid TEXT NOT NULL,
  PRIMARY KEY (blockchain, prev_txid, prev_vout)
) STRICT;

CREATE INDEX transaction_inputs_by_transaction ON transaction_inputs (blockchain, txid);
