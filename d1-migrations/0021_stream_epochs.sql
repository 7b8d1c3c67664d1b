-- The value of its account when the stream was opened: a stream ends with the tokens of the account.
ALTER TABLE event_streams ADD COLUMN token_epoch INTEGER NOT NULL DEFAULT 0;
-- The API key that it was opened with, and with which it ends; NULL for an access token.
ALTER TABLE event_streams ADD COLUMN key_id TEXT;
