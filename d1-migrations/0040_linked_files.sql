-- SHA-256 of the content of an IPFS file, lowercase hex, from its merge on; none of those merged before.
ALTER TABLE items ADD COLUMN sha256 TEXT;
-- The stored item whose blocks this file is made of; it has no chunks of its own.
ALTER TABLE items ADD COLUMN linked_from TEXT REFERENCES items (id);

CREATE INDEX items_by_content ON items (user_id, sha256) WHERE sha256 IS NOT NULL AND status = 200;
CREATE INDEX items_linked ON items (linked_from) WHERE linked_from IS NOT NULL;
