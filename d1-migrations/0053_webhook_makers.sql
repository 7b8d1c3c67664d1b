-- Who made a webhook: it ends with the API key that it was made with, and a password reset pauses it.
-- 'key' or 'login'; NULL for those of before, of which it is not known
ALTER TABLE webhooks ADD COLUMN made_by TEXT;
ALTER TABLE webhooks ADD COLUMN key_id TEXT;
-- when that key ends by itself
ALTER TABLE webhooks ADD COLUMN ends_at INTEGER;
-- when it was paused; NULL while it is not
ALTER TABLE webhooks ADD COLUMN paused_at INTEGER;

CREATE INDEX webhooks_by_key ON webhooks (key_id) WHERE key_id IS NOT NULL;
CREATE INDEX webhooks_by_end ON webhooks (ends_at) WHERE ends_at IS NOT NULL;

-- What a mail is about, where its text names that: the host of a webhook.
ALTER TABLE mails ADD COLUMN about TEXT;
