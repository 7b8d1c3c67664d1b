-- How many transactions the wallet had when it was last searched: where more came than the search explains, a rescan
-- found old ones. NULL where that was before there was this column.
ALTER TABLE wallet_scans ADD COLUMN tx_count INTEGER;
-- Until when every growth is taken for a rescan: the wallet lost some (milliseconds).
ALTER TABLE wallet_scans ADD COLUMN restored_until INTEGER;
