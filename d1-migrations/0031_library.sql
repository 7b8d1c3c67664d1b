-- Files of a directory item, and live files in a folder and below it. The next migration fills them in and keeps them.
ALTER TABLE items ADD COLUMN files INTEGER NOT NULL DEFAULT 0;
ALTER TABLE folders ADD COLUMN items INTEGER NOT NULL DEFAULT 0;
