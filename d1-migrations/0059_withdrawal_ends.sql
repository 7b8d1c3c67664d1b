-- Withdrawals end: by their owner while nothing was signed, or by an operator. A CHECK can't be changed, so the table is
-- made anew; rows keep their numbers, by which they are ordered.
CREATE TABLE withdrawals_new (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  blockchain TEXT NOT NULL,
  address TEXT NOT NULL,
  -- scriptPubKey of the address in hex, as the chain's node said it
  script TEXT NOT NULL,
  -- base units, decimal; the fee was debited beside the amount
  amount TEXT NOT NULL,
  fee TEXT NOT NULL,
  -- that the fee was made with, base units per 1,000 vbytes
  fee_rate TEXT NOT NULL,
  -- waiting: the node has taken no transaction of it; held: above a limit, until an operator approves it; failed: needs an
  -- operator; cancelled: by its owner, refunded: by an operator, both with the money back in the balance; paid_elsewhere: an
  -- operator paid it in another way
  state TEXT NOT NULL CHECK (
    state IN ('waiting', 'held', 'sent', 'confirmed', 'failed', 'cancelled', 'refunded', 'paid_elsewhere')),
  reason TEXT,
  -- since when that is the reason, milliseconds
  since INTEGER,
  -- The coin that every transaction ever signed for it spends: no two of them can be mined. NULL before the first.
  coin_txid TEXT,
  coin_vout INTEGER,
  coin_value TEXT,
  coin_script TEXT,
  created_at INTEGER NOT NULL,
  -- when its first transaction was signed, milliseconds
  released_at INTEGER,
  -- an operator let it pass the limits on payouts
  approved INTEGER NOT NULL DEFAULT 0,
  -- What an operator decided where something was signed: its coin is spent back to the wallet first, by the transaction at the
  -- beginning of this lane, signed at this height; and the height at which something else was first found to spend it
  ending TEXT CHECK (ending IN ('refunded', 'paid_elsewhere')),
  back_lane INTEGER,
  back_height INTEGER,
  spent_height INTEGER
) STRICT;

INSERT INTO withdrawals_new (rowid, id, user_id, blockchain, address, script, amount, fee, fee_rate, state, reason, since,
    coin_txid, coin_vout, coin_value, coin_script, created_at, released_at)
  SELECT rowid, id, user_id, blockchain, address, script, amount, fee, fee_rate, state, reason,
    IIF(reason IS NULL, NULL, created_at), coin_txid, coin_vout, coin_value, coin_script, created_at,
    IIF(coin_txid IS NULL, NULL, created_at) FROM withdrawals;
DROP TABLE withdrawals;
ALTER TABLE withdrawals_new RENAME TO withdrawals;

CREATE INDEX withdrawals_by_user ON withdrawals (user_id, created_at, id);
CREATE INDEX withdrawals_unsent ON withdrawals (user_id) WHERE state IN ('waiting', 'held', 'failed');
CREATE INDEX withdrawals_by_state ON withdrawals (blockchain, state, created_at);
CREATE INDEX withdrawals_released ON withdrawals (blockchain, released_at) WHERE released_at IS NOT NULL;
CREATE INDEX withdrawals_ending ON withdrawals (blockchain) WHERE ending IS NOT NULL;
