-- What a request's amount is made of, base units; what is left of the amount is there because the network relays no
-- smaller output. NULL where that was before there were these columns.
ALTER TABLE payment_requests ADD COLUMN network_fee TEXT;
ALTER TABLE payment_requests ADD COLUMN storage_fee TEXT;

-- What an account looks back on, newest first. The ledger goes by the order in which it was written, its rowid.
CREATE INDEX payment_requests_by_user ON payment_requests (user_id, created_at, id) WHERE address IS NOT NULL;
CREATE INDEX ledger_by_user ON ledger (user_id);
