-- Height of the best chain when another transaction in a block was first found to spend an input of this one; NULL
-- where none does. A reorganisation below it takes it back.
ALTER TABLE transactions ADD COLUMN spent_height INTEGER;
CREATE INDEX transactions_spent_otherwise ON transactions (blockchain, spent_height) WHERE spent_height IS NOT NULL;

-- Whether the wallet has the keys of the oldest and of the newest address that were given out ('11' for both), when it
-- was last searched: where that has changed it is another wallet, and is searched from the beginning.
ALTER TABLE wallet_scans ADD COLUMN wallet_keys TEXT;
-- How many transactions of the wallet waited for a block then: they are listed again, and are no growth.
ALTER TABLE wallet_scans ADD COLUMN waiting INTEGER;
