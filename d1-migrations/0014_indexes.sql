CREATE INDEX folders_by_parent ON folders (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX payment_requests_by_address ON payment_requests (address) WHERE address IS NOT NULL;
