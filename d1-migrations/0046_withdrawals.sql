-- Money that users take out of their balance. It is debited when it is asked for, and sent by the chain's agent.
CREATE TABLE withdrawals (
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
  -- waiting: the node has taken no transaction of it; failed: needs an operator
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'confirmed', 'failed')),
  reason TEXT,
  -- The coin that every transaction ever signed for it spends: no two of them can be mined. NULL before the first.
  coin_txid TEXT,
  coin_vout INTEGER,
  coin_value TEXT,
  coin_script TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX withdrawals_by_user ON withdrawals (user_id, created_at, id);
CREATE INDEX withdrawals_unsent ON withdrawals (user_id) WHERE state IN ('waiting', 'failed');
CREATE INDEX withdrawals_by_state ON withdrawals (blockchain, state, created_at);

-- The withdrawal that a transaction of ours pays: one live transaction each.
ALTER TABLE transactions ADD COLUMN withdrawal_id TEXT;
CREATE UNIQUE INDEX transactions_by_withdrawal ON transactions (withdrawal_id)
  WHERE state != 'dead' AND withdrawal_id IS NOT NULL;
CREATE INDEX transactions_of_withdrawal ON transactions (withdrawal_id) WHERE withdrawal_id IS NOT NULL;
