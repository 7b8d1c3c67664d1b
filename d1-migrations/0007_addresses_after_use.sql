-- The used address in whose place this one was made; NULL where somebody asked for it. Only those count to what may be
-- asked for in a minute: that money came is nothing its user did too often.
ALTER TABLE addresses ADD COLUMN replaces TEXT;
