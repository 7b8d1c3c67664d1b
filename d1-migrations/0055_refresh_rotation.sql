-- How often the refresh token of a session was replaced; tokens carry the value they were made under.
ALTER TABLE sessions ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
-- JSON: [[generation, at]], when the tokens of late were first used; at in milliseconds
ALTER TABLE sessions ADD COLUMN first_uses TEXT NOT NULL DEFAULT '[]';
