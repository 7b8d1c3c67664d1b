-- Accounts that were closed before closing gave these up.
UPDATE domains SET status = 'removing', asked_at = 0
  WHERE status <> 'removing' AND user_id IN (SELECT id FROM users WHERE status = 0);
DELETE FROM waiting_domains WHERE user_id IN (SELECT id FROM users WHERE status = 0);
DELETE FROM webhooks WHERE user_id IN (SELECT id FROM users WHERE status = 0);
