CREATE INDEX domain_answers_by_age ON domain_answers (seen_at);
