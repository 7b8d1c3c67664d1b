-- Withdrawals that are paid with coins of a wallet without private keys: by a PSBT (BIP 174) that an operator signs elsewhere.
ALTER TABLE withdrawals ADD COLUMN cold INTEGER NOT NULL DEFAULT 0;
-- A transaction of that wallet: nothing of ours goes on from its change.
ALTER TABLE lanes ADD COLUMN cold INTEGER NOT NULL DEFAULT 0;

-- PSBTs that did not come back yet. Whoever has one may have it mined: the coin that its withdrawal is tied to is spent by each.
CREATE TABLE psbts (
  withdrawal_id TEXT PRIMARY KEY,
  blockchain TEXT NOT NULL,
  -- of the transaction, signed or not (BIP 141)
  txid TEXT NOT NULL,
  -- base64, as the node made it
  psbt TEXT NOT NULL,
  -- base units, decimal; the script of the change in hex, '' without change
  fee TEXT NOT NULL,
  vsize INTEGER NOT NULL,
  change_vout INTEGER NOT NULL,
  change_value TEXT NOT NULL,
  change_script TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- its record is in the bucket and it is counted with the payouts: it may be shown
  offered INTEGER NOT NULL DEFAULT 0,
  -- hex of the transaction once it came back signed
  signed TEXT
) STRICT;

CREATE UNIQUE INDEX psbts_by_txid ON psbts (blockchain, txid);

-- What they spend; no coin is in two.
CREATE TABLE psbt_inputs (
  blockchain TEXT NOT NULL,
  txid TEXT NOT NULL,
  vout INTEGER NOT NULL,
  withdrawal_id TEXT NOT NULL,
  PRIMARY KEY (blockchain, txid, vout)
) STRICT;

CREATE INDEX psbt_inputs_by_withdrawal ON psbt_inputs (withdrawal_id);
