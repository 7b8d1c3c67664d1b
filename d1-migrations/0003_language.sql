-- The language of an account's mails, and of its console; NULL: that of the browser, and English in mails.
ALTER TABLE users ADD COLUMN language TEXT CHECK (language IN ('en', 'de', 'es'));
