-- Whether a coin that is locked at the wallet is one that a lane started from.
CREATE INDEX lanes_by_coin ON lanes (blockchain, coin_txid);
