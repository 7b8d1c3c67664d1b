-- Whether the node's wallet keeps with an address whose it is: 0 for those that were given out before it did, 2 where it refused.
ALTER TABLE addresses ADD COLUMN labelled INTEGER NOT NULL DEFAULT 0;
CREATE INDEX addresses_unlabelled ON addresses (blockchain, created_at) WHERE labelled = 0;
