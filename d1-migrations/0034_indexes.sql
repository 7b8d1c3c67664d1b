-- What is deleted by age is found by age, and what an item keeps from being deleted by the item.
CREATE INDEX attempts_by_age ON attempts (at);
CREATE INDEX mails_by_age ON mails (created_at);
CREATE INDEX folders_by_age ON folders (created_at);
CREATE INDEX site_versions_of_item ON site_versions (item_id);
