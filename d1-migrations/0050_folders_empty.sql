-- The folders of an account that no file is in are counted before it gets another one.
CREATE INDEX folders_empty ON folders (user_id) WHERE items = 0;
