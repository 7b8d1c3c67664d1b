-- The value that token_epoch had after the last reset: refresh tokens of before it show no known device.
ALTER TABLE users ADD COLUMN device_epoch INTEGER NOT NULL DEFAULT 0;
