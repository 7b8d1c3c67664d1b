-- How often an output was credited and written off again, because another transaction took the place of its own.
ALTER TABLE outputs ADD COLUMN written_off INTEGER NOT NULL DEFAULT 0;
