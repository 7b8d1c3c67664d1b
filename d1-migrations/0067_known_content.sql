-- The bytes that an account has merged, whatever their target and state: found by their hash, the newest first.
CREATE INDEX items_by_hash ON items (user_id, sha256, created_at, id) WHERE sha256 IS NOT NULL AND removed_at IS NULL;
DROP INDEX items_by_content;
