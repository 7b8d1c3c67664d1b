-- The agents look for addresses given out lately, every second.
CREATE INDEX addresses_by_age ON addresses (blockchain, created_at);
