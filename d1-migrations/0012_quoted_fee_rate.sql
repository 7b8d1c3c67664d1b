-- The network's fee rate that the price was made with, base units per 1,000 vbytes; NULL where that was before there
-- was this column. A write waits while fees are too far above it.
ALTER TABLE payment_requests ADD COLUMN fee_rate TEXT;
