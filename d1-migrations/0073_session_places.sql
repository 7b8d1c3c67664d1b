-- Where a session was begun: such as "Firefox on Linux", and a country; no address and no header as it came.
ALTER TABLE sessions ADD COLUMN device TEXT;
ALTER TABLE sessions ADD COLUMN country TEXT;

-- What waits to be sent to somebody is not written twice.
CREATE INDEX mails_by_recipient ON mails (recipient, template);
