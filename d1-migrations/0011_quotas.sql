-- What an account has that is not paid for is counted each time it adds to it.
CREATE INDEX items_unpaid ON items (user_id, directory_of, size) WHERE status IN (201, 402);
