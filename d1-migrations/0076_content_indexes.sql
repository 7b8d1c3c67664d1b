-- Content of several transactions may have an index transaction, which names them (docs/formats.md).

-- Whether an item has one where it takes several transactions: what was asked for, from the merge on what holds. NULL: not said,
-- or merged before there were any.
ALTER TABLE items ADD COLUMN indexed INTEGER;
-- Length and SHA-256 (hex) of the content that its transactions hold, decoded, where they are not `size` and `sha256`: of websites.
ALTER TABLE items ADD COLUMN content_size INTEGER;
ALTER TABLE items ADD COLUMN content_sha256 TEXT;
-- The index, once it is as deep as its chain wants.
ALTER TABLE items ADD COLUMN index_txid TEXT;

-- The item that a write makes the index of: one transaction, made when those of the item are as deep as the chain wants. Its id is that
-- of the item, a dot, and the beginning of a hash of the txids that it names: other txids are another index.
ALTER TABLE writes ADD COLUMN index_of TEXT;
-- Its transaction, once it is that deep.
ALTER TABLE writes ADD COLUMN index_txid TEXT;
CREATE INDEX writes_of_indexes ON writes (index_of) WHERE index_of IS NOT NULL;
