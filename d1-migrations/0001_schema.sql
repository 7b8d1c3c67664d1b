-- The tables of D1. README.md beside this file says what a row of each is and how long it lives. Times are milliseconds
-- since 1970, money is base units as decimal text, ids of items and folders are 24 hex digits.

-- ## Accounts

-- An account.
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  -- lower-cased
  email TEXT NOT NULL UNIQUE,
  -- $scrypt$ln=15,r=8,p=3$<salt>$<hash>
  password_hash TEXT NOT NULL,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  role TEXT NOT NULL DEFAULT 'user',
  -- 0 closed, 1 active, 2 email pending, 3 identity pending
  status INTEGER NOT NULL,
  -- Counts up when every token of the user ends at once; tokens carry the value they were made under.
  token_epoch INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- The value that token_epoch had after the last reset: older refresh tokens show no known device.
  device_epoch INTEGER NOT NULL DEFAULT 0,
  -- Who buys, as receipts name it: what the account wrote.
  buyer TEXT NOT NULL DEFAULT '',
  -- 1: it wants mails about its orders and withdrawals
  order_mails INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX users_by_status ON users (status, created_at, id);

-- The live refresh tokens; one that is revoked is deleted.
CREATE TABLE sessions (
  jti TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- How often the refresh token of a session was replaced; tokens carry the value they were made under.
  generation INTEGER NOT NULL DEFAULT 0,
  -- JSON: [[generation, at]], when the tokens of late were first used; at in milliseconds
  first_uses TEXT NOT NULL DEFAULT '[]',
  -- Where a session was begun: such as "Firefox on Linux", and a country; no address and no header as it came.
  device TEXT,
  country TEXT
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id, expires_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- The live links that were mailed; one that is used is deleted. The link itself is a token signed for `jti`.
CREATE TABLE mail_links (
  jti TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- verify, reset or email
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Of a change of the address: the new one, which the link is mailed to.
  email TEXT
) STRICT;

CREATE INDEX mail_links_by_user ON mail_links (user_id, kind);
CREATE INDEX mail_links_by_expiry ON mail_links (expires_at);

-- Sign-ups whose pages wait to be told that the link was followed. One whose address was taken has no row.
CREATE TABLE sign_up_waits (
  wait TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- Of the account at that sign-up: another sign-up or a reset makes it another, and this one is never told.
  token_epoch INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sign_up_waits_by_user ON sign_up_waits (user_id);
CREATE INDEX sign_up_waits_by_expiry ON sign_up_waits (expires_at);

-- Mail that has not been taken by the provider yet; written with what it tells of, deleted when it is sent.
CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  recipient TEXT NOT NULL,
  -- which text: verify, reset, email, known, closed, taken, or that of a notice
  template TEXT NOT NULL,
  link_jti TEXT,
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  -- What a mail is about, where its text names that: the host of a webhook.
  about TEXT
) STRICT;

CREATE INDEX mails_by_next_attempt ON mails (next_attempt_at);
CREATE INDEX mails_by_age ON mails (created_at);
-- What waits to be sent to somebody is not written twice.
CREATE INDEX mails_by_recipient ON mails (recipient, template);

-- What an account that wants it is mailed of its orders and withdrawals, each once.
CREATE TABLE order_mails (
  user_id TEXT NOT NULL REFERENCES users (id),
  kind TEXT NOT NULL CHECK (kind IN ('paid', 'stored', 'failed', 'withdrawn')),
  -- the request, or the withdrawal
  subject TEXT NOT NULL,
  -- the subject of the mail, and below it its text
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- held: the account had its mails of a day, and gets what is held together
  state TEXT NOT NULL CHECK (state IN ('due', 'held', 'mailed')),
  PRIMARY KEY (user_id, kind, subject)
) STRICT;

CREATE INDEX order_mails_by_state ON order_mails (state, at);
CREATE INDEX order_mails_by_user ON order_mails (user_id, at);

-- Up to which event mails of orders were looked for: one row.
CREATE TABLE order_mail_position (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL
) STRICT;

-- Failed logins, those under way, and requests for mail, for as long as they count against somebody.
CREATE TABLE attempts (
  id TEXT PRIMARY KEY,
  -- pending, login (failed) or mail
  kind TEXT NOT NULL,
  -- SHA-256 of the email address, hex: it may be anything that somebody typed
  address TEXT NOT NULL,
  client TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX attempts_by_address ON attempts (kind, address, client, at);
CREATE INDEX attempts_by_client ON attempts (kind, client, at);
CREATE INDEX attempts_by_age ON attempts (at);

-- Passkeys (WebAuthn), with which an account logs in beside its password.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- base64url, as browsers send it
  credential_id TEXT NOT NULL UNIQUE,
  -- COSE key, base64url
  public_key TEXT NOT NULL,
  -- how often the authenticator said that it was used; 0 for those that do not count
  counter INTEGER NOT NULL,
  -- JSON list: how browsers reach it
  transports TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at);

-- Challenges that were answered; each is good once. They are signed, so that none that waits is kept.
CREATE TABLE passkey_challenges (
  challenge TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at);

-- Keys for programs, which act for an account within their scopes.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  -- SHA-256 of the key, hex: the key itself is shown once and kept nowhere
  hash TEXT NOT NULL UNIQUE,
  -- JSON list of read, store, pay, sites
  scopes TEXT NOT NULL,
  -- JSON: the most base units that it may spend of a chain on a UTC day, as decimal text; NULL: no limit
  spending TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- to the minute
  last_used_at INTEGER
) STRICT;

CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at);

-- What keys with a limit have spent.
CREATE TABLE api_key_spending (
  key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  blockchain TEXT NOT NULL,
  -- days since 1970, UTC
  day INTEGER NOT NULL,
  -- base units, decimal
  amount TEXT NOT NULL,
  PRIMARY KEY (key_id, blockchain, day)
) STRICT;

CREATE INDEX api_key_spending_by_day ON api_key_spending (day);

-- What was answered to a POST that carried an `Idempotency-Key`, for a day.
CREATE TABLE idempotency_keys (
  user_id TEXT NOT NULL,
  key TEXT NOT NULL,
  -- SHA-256 of method, path and body, hex
  request TEXT NOT NULL,
  -- who works on it: another one once it was taken over
  attempt TEXT NOT NULL,
  -- until when nobody takes it over, milliseconds
  busy_until INTEGER NOT NULL,
  -- the answer, JSON text; NULL while there is none
  status INTEGER,
  body TEXT,
  -- grows by one with each key of a user, so that how many there are at most is known from the first and the last
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT;

CREATE INDEX idempotency_keys_by_seq ON idempotency_keys (user_id, seq);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Who did what that somebody may ask about later. Rows are only added: one is never changed, and only those that have
-- a time until which they are kept are deleted, when it is over.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  -- a user's id; 'command' for one that was run beside the service, 'service' for what it did by itself
  actor TEXT NOT NULL,
  -- the user whose account or money it is about, who may read the row; NULL where it is nobody's
  account TEXT,
  -- one of contract/audit-acts.ts
  act TEXT NOT NULL,
  -- what it was done to, as `kind:id`
  subject TEXT,
  reason TEXT,
  blockchain TEXT,
  -- base units, decimal
  amount TEXT,
  -- milliseconds; NULL: for ever
  kept_until INTEGER,
  -- Whether a credit by hand was made without a look at what the wallet holds; NULL for every other act.
  unbacked INTEGER
) STRICT;

CREATE INDEX audit_by_account ON audit (account, seq);
CREATE INDEX audit_to_sweep ON audit (kept_until) WHERE kept_until IS NOT NULL;

-- ## Items, their folders, and what lists of them are read by

-- What a client stores together: files, and the folders that they are in, of one target. The id is the client's.
CREATE TABLE orders (
  user_id TEXT NOT NULL,
  id TEXT NOT NULL,
  -- of its first folder, or file
  name TEXT NOT NULL,
  blockchain TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX orders_by_age ON orders (user_id, created_at, id);

-- A place for items of one account and one target; the merge of an IPFS folder makes it a directory.
CREATE TABLE folders (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  parent_id TEXT REFERENCES folders (id),
  name TEXT NOT NULL,
  blockchain TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Live files in the folder and below it.
  items INTEGER NOT NULL DEFAULT 0,
  -- 1 from the merge of a folder on: its name is free for its next version, an open folder beside it. Until its merge is
  -- done a folder may become open again.
  merged INTEGER NOT NULL DEFAULT 0,
  order_id TEXT
) STRICT;

CREATE INDEX folders_by_parent ON folders (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX folders_by_age ON folders (created_at);
-- The folders of an account without a file are counted before it gets another one.
CREATE INDEX folders_empty ON folders (user_id) WHERE items = 0;
CREATE UNIQUE INDEX folders_by_name ON folders (user_id, blockchain, IFNULL(parent_id, ''), name) WHERE merged = 0;
CREATE INDEX folders_merged_by_name ON folders (user_id, blockchain, IFNULL(parent_id, ''), name, created_at)
  WHERE merged = 1;
-- What a list of folders is read by.
CREATE INDEX folders_by_place ON folders (user_id, IFNULL(parent_id, ''), created_at, id);
CREATE INDEX folders_by_order ON folders (user_id, order_id) WHERE order_id IS NOT NULL;

-- A file, website or directory, from its upload to its transactions.
CREATE TABLE items (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  -- No reference here and below: the row of a removed item outlives its folder.
  folder_id TEXT,
  -- The directory item that this file became part of, when its folder was merged.
  part_of TEXT REFERENCES items (id),
  -- The folder that this item is, if it came of a folder's merge.
  directory_of TEXT,
  name TEXT NOT NULL,
  mimetype TEXT NOT NULL,
  -- How often its media type was corrected: entity tags name it.
  type_changes INTEGER NOT NULL DEFAULT 0,
  -- Of a picture whose beginning says it: its size in pixels, from its merge on.
  width INTEGER,
  height INTEGER,
  blockchain TEXT NOT NULL,
  size INTEGER NOT NULL,
  chunk_size INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  -- 201 uploading, 402 waiting for payment, 202 being written, 200 stored, 409 needs an operator
  status INTEGER NOT NULL DEFAULT 201,
  message TEXT,
  -- What merge found: bytes stored (Brotli, or all blocks of the DAG), data transactions, data bytes of each.
  stored_size INTEGER,
  transactions INTEGER,
  max_data_bytes INTEGER,
  -- Since when a merge goes on, and the error code of the last one that was refused.
  merging_at INTEGER,
  refusal TEXT,
  written INTEGER NOT NULL DEFAULT 0,
  confirmed INTEGER NOT NULL DEFAULT 0,
  cid TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Gone for everybody. The row of an unpaid item stays until its objects are deleted; that of a stored one, which its owner
  -- took down, stays, and what it holds may be served by its CID.
  removed_at INTEGER,
  -- 1 where its owner wants it in no list
  hidden INTEGER NOT NULL DEFAULT 0,
  -- 1 while chunks or stored bytes may be in the bucket that are of no use once the item is stored.
  leftovers INTEGER NOT NULL DEFAULT 1,
  -- Of a directory: how many files it has.
  files INTEGER NOT NULL DEFAULT 0,
  -- SHA-256 of the content of an IPFS file, lowercase hex, from its merge on.
  sha256 TEXT,
  -- The stored item whose blocks this file is made of; it has no chunks of its own.
  linked_from TEXT REFERENCES items (id),
  -- What an upload is: a CAR, whose blocks are taken in as they are; NULL for a file.
  upload_kind TEXT CHECK (upload_kind = 'car'),
  order_id TEXT,
  -- Content of several transactions may have an index transaction, which names them (docs/formats.md): whether this item has
  -- one where it takes several transactions. What was asked for, from the merge on what holds. NULL: not said.
  indexed INTEGER,
  -- Length and SHA-256 (hex) of the content that its transactions hold, decoded, where they are not `size` and `sha256`: of
  -- websites.
  content_size INTEGER,
  content_sha256 TEXT,
  -- The index, once it is as deep as its chain wants.
  index_txid TEXT
) STRICT;

CREATE INDEX items_by_user ON items (user_id, created_at, id);
CREATE INDEX items_by_status ON items (status, updated_at);
CREATE INDEX items_by_folder ON items (folder_id);
CREATE INDEX items_by_directory_item ON items (part_of) WHERE part_of IS NOT NULL;
CREATE UNIQUE INDEX items_by_directory ON items (directory_of) WHERE directory_of IS NOT NULL AND removed_at IS NULL;
CREATE INDEX items_merging ON items (merging_at) WHERE merging_at IS NOT NULL;
CREATE INDEX items_leftover ON items (updated_at) WHERE status = 200 AND leftovers = 1;
CREATE INDEX items_removed ON items (removed_at) WHERE removed_at IS NOT NULL AND status <> 200;
-- A stream tells which items changed since it last looked.
CREATE INDEX items_by_change ON items (user_id, updated_at);
-- A list of unfinished uploads looks at no stored item.
CREATE INDEX items_uploading ON items (user_id, created_at, id) WHERE status = 201;
CREATE INDEX items_linked ON items (linked_from) WHERE linked_from IS NOT NULL;
-- Of the items that are listed: live, and no part of a directory. The last three columns are those that lists are narrowed by.
CREATE INDEX items_by_created ON items (user_id, created_at, id, status, folder_id, hidden)
  WHERE removed_at IS NULL AND part_of IS NULL;
CREATE INDEX items_by_name ON items (user_id, lower(name), id, status, folder_id, hidden)
  WHERE removed_at IS NULL AND part_of IS NULL;
CREATE INDEX items_by_size ON items (user_id, size, id, status, folder_id, hidden)
  WHERE removed_at IS NULL AND part_of IS NULL;
-- The bytes that an account has merged, whatever their target and state, by their hash, the newest first.
CREATE INDEX items_by_hash ON items (user_id, sha256, created_at, id) WHERE sha256 IS NOT NULL AND removed_at IS NULL;
CREATE INDEX items_by_order ON items (user_id, order_id, created_at, id) WHERE order_id IS NOT NULL;
-- Directories on chains, which are websites there: a denied txid is searched in their lists.
CREATE INDEX items_chain_sites ON items (id) WHERE directory_of IS NOT NULL AND blockchain <> 'IPFS';
-- The unpaid items of an account, the one that was changed longest ago first, without those that are removed.
CREATE INDEX items_removable ON items (user_id, updated_at, id, size)
  WHERE status IN (201, 402) AND part_of IS NULL AND removed_at IS NULL;

-- Published only when every transaction is confirmed. Apart from items, so that lists stay small.
CREATE TABLE item_txids (
  item_id TEXT PRIMARY KEY REFERENCES items (id),
  -- 64 hex digits a transaction, one after another, in order
  txids TEXT NOT NULL,
  -- The item's transactions, once they are folded: 32 bytes a txid in the place of the text, the heights of their blocks (runs
  -- of equal ones: the first height and how many, then each height above or below the first and how many), and what they
  -- weighed and cost.
  packed BLOB,
  heights TEXT,
  vsize INTEGER,
  -- base units, decimal
  fee TEXT
) STRICT;

-- Who writes an upload at the moment: one at a time, in whichever isolate.
CREATE TABLE upload_leases (
  item_id TEXT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  -- random, of one request
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  -- 1 when another writer was turned away meanwhile: one that receives nothing then makes room
  wanted INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Words of names, kept by triggers, so that no statement that moves an item can forget it. Each begins with its account's
-- id, so that a search reads what one account has, however much others do.
CREATE VIRTUAL TABLE item_words USING fts5 (words, content = '', contentless_delete = 1);

-- The rows of item_words.
CREATE TABLE item_numbers (
  n INTEGER PRIMARY KEY,
  item_id TEXT NOT NULL UNIQUE
) STRICT;

-- What each account holds that is not paid for and not removed, and all of them together (user_id ''): the quotas over all
-- accounts are read with each new item, and whoever holds most gives way. Kept by triggers.
CREATE TABLE holdings (
  user_id TEXT PRIMARY KEY,
  items INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  -- What was removed and waits for its objects to be deleted counts in an account's quotas, and is bounded for all accounts
  -- together. Counting it would read up to 20,000 entries of an index for each new item.
  removed_items INTEGER NOT NULL DEFAULT 0,
  removed_bytes INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- ## Money in: prices, addresses, what pays them, and what accounts have

-- A price for a set of items, frozen.
CREATE TABLE payment_requests (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  -- storage target of the items
  target TEXT NOT NULL,
  -- chain that it is paid on
  blockchain TEXT NOT NULL,
  -- NULL when it was paid from the balance without waiting
  address TEXT,
  -- sorted object ids, joined by commas
  item_set TEXT NOT NULL,
  -- base units, decimal; frozen
  amount TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'seen', 'settled', 'expired', 'cancelled')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The network's fee rate that the price was made with, base units per 1,000 vbytes. A write waits while fees are too far
  -- above it.
  fee_rate TEXT NOT NULL,
  -- What a request's amount is made of, base units; what is left of the amount is there because the network relays no
  -- smaller output.
  network_fee TEXT NOT NULL,
  storage_fee TEXT NOT NULL,
  -- JSON: names of its first three items as they were when it ended unpaid, since those items are removed.
  names TEXT,
  -- JSON: what one coin of its chain was worth when it was paid, by currency; NULL where that was not known. For receipts
  -- alone.
  rates TEXT,
  UNIQUE (blockchain, address),
  FOREIGN KEY (blockchain, address) REFERENCES addresses (blockchain, address)
) STRICT;

CREATE UNIQUE INDEX payment_requests_open_set ON payment_requests (user_id, item_set)
  WHERE state IN ('open', 'seen');
CREATE INDEX payment_requests_by_state ON payment_requests (blockchain, state);
CREATE INDEX payment_requests_by_address ON payment_requests (address) WHERE address IS NOT NULL;
-- What an account looks back on, newest first.
CREATE INDEX payment_requests_by_user ON payment_requests (user_id, created_at, id) WHERE address IS NOT NULL;

-- What coins are worth in other currencies, as PRICE_URL said last: one row.
CREATE TABLE prices (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- where it is from; NULL when none is known
  url TEXT,
  -- milliseconds: last asked for, last answered, and when it was so
  tried_at INTEGER NOT NULL DEFAULT 0,
  read_at INTEGER NOT NULL DEFAULT 0,
  as_of INTEGER,
  -- who says so
  source TEXT,
  -- JSON: by chain and currency, what one coin is worth
  rates TEXT
) STRICT;

-- The items of a request.
CREATE TABLE payment_request_items (
  request_id TEXT NOT NULL REFERENCES payment_requests (id),
  item_id TEXT NOT NULL,
  -- 1 while the request waits for money: an item waits in one request at a time
  waiting INTEGER NOT NULL,
  PRIMARY KEY (request_id, item_id)
) STRICT;

CREATE UNIQUE INDEX payment_request_items_waiting ON payment_request_items (item_id) WHERE waiting = 1;
CREATE INDEX payment_request_items_by_item ON payment_request_items (item_id);

-- Every address that was ever given out. One belongs to one user and one purpose for ever: money may still
-- arrive after its request was cancelled or a newer one was made.
CREATE TABLE addresses (
  blockchain TEXT NOT NULL,
  address TEXT NOT NULL,
  -- scriptPubKey in hex: what outputs are recognised by
  script TEXT NOT NULL,
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('request', 'deposit')),
  -- current: shown to its user; discarded: a newer one was asked for; retired: has received money
  state TEXT NOT NULL CHECK (state IN ('current', 'discarded', 'retired')),
  created_at INTEGER NOT NULL,
  -- The used address in whose place this one was made; NULL where somebody asked for it. Only those count towards the
  -- addresses that may be asked for in a minute: that money came is nothing its user did too often.
  replaces TEXT,
  PRIMARY KEY (blockchain, address)
) STRICT;

CREATE INDEX addresses_by_script ON addresses (blockchain, script);
CREATE INDEX addresses_by_user ON addresses (user_id, kind, created_at);
CREATE UNIQUE INDEX addresses_current ON addresses (blockchain, user_id)
  WHERE kind = 'deposit' AND state = 'current';
-- The agents look for addresses given out lately, every second.
CREATE INDEX addresses_by_age ON addresses (blockchain, created_at);

-- Outputs that pay an address of ours, as the chain has them now.
CREATE TABLE outputs (
  blockchain TEXT NOT NULL,
  txid TEXT NOT NULL,
  vout INTEGER NOT NULL,
  address TEXT NOT NULL,
  amount TEXT NOT NULL,
  coinbase INTEGER NOT NULL,
  -- when the node first saw it, milliseconds
  seen_at INTEGER NOT NULL,
  in_mempool INTEGER NOT NULL,
  -- place on the best chain; NULL while it has none
  block_hash TEXT,
  block_height INTEGER,
  credited INTEGER NOT NULL DEFAULT 0,
  -- 1: replaced, or forgotten for weeks. It is not asked about any more; a block that has it brings it back.
  dropped INTEGER NOT NULL DEFAULT 0,
  -- since when it is in no block and not in the mempool
  gone_at INTEGER,
  -- How often an output was credited and written off again, because another transaction took the place of its own.
  written_off INTEGER NOT NULL DEFAULT 0,
  -- The transaction that another one replaced (BIP 125), which paid the same address; when that was seen (milliseconds),
  -- and how much of this output counts as seen then: base units, decimal, no more than the replaced one paid.
  replaces TEXT,
  early_at INTEGER,
  early_amount TEXT,
  -- The least deposit that this output was below with all that waited of its account, in base units; NULL: it was not found so.
  -- It is pending until that sum reaches the setting.
  below INTEGER,
  PRIMARY KEY (blockchain, txid, vout)
) STRICT;

CREATE INDEX outputs_by_address ON outputs (blockchain, address);
CREATE INDEX outputs_by_height ON outputs (blockchain, block_height);
CREATE INDEX outputs_not_mined ON outputs (blockchain, txid) WHERE block_height IS NULL;
CREATE INDEX outputs_not_credited ON outputs (blockchain, credited) WHERE credited = 0;
-- What a step looks at: only what is open, however much there ever was.
CREATE INDEX outputs_open ON outputs (blockchain, address) WHERE credited = 0 AND dropped = 0;
CREATE INDEX outputs_to_check ON outputs (blockchain, txid) WHERE block_height IS NULL AND dropped = 0;
CREATE INDEX outputs_suspended ON outputs (blockchain, address) WHERE credited = 1 AND block_height IS NULL;
CREATE INDEX outputs_below ON outputs (blockchain, address) WHERE below IS NOT NULL AND credited = 0;

-- Append-only; `balance` is the sum so far. Two writers of one `seq` collide, so no entry is computed from a
-- balance that is not the last.
CREATE TABLE ledger (
  user_id TEXT NOT NULL,
  blockchain TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- base units, decimal; credits are positive, debits negative
  amount TEXT NOT NULL,
  balance TEXT NOT NULL CHECK (balance NOT LIKE '-%'),
  -- output:<txid>:<vout> or request:<id>: each moves money once, ever
  cause TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, blockchain, seq),
  UNIQUE (blockchain, cause)
) STRICT;

-- Listed in the order in which it was written, by its rowid.
CREATE INDEX ledger_by_user ON ledger (user_id);
-- What an account was credited lately, from an index alone.
CREATE INDEX ledger_credits ON ledger (user_id, created_at, blockchain, amount) WHERE cause >= 'output:' AND cause < 'output;';

-- ## What is paid and becomes transactions of ours

-- One row for each paid item, until it is stored.
CREATE TABLE writes (
  item_id TEXT PRIMARY KEY,
  blockchain TEXT NOT NULL,
  target TEXT NOT NULL,
  request_id TEXT NOT NULL REFERENCES payment_requests (id),
  -- queued: no transaction accepted yet; writing; paused: its payment left the chain; parked: needs an operator
  -- published: 200 OK, its bytes not yet tidied away; done: nothing is left to do
  state TEXT NOT NULL CHECK (state IN ('queued', 'writing', 'paused', 'parked', 'published', 'done')),
  -- an operator let it go on although its payment left the chain
  unbacked INTEGER NOT NULL DEFAULT 0,
  -- an operator asked for it after it was parked: transactions whose coin is gone are made anew
  replan INTEGER NOT NULL DEFAULT 0,
  -- data bytes in each transaction, and how many there are; NULL until the writer planned it
  data_bytes INTEGER,
  transactions INTEGER,
  -- every payload below this index has a transaction
  next_index INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- The highest fee rate, base units per 1,000 vbytes, at which a node found a transaction of the item too cheap that no node
  -- ever had.
  refused_rate TEXT,
  -- Where all of its transactions are in blocks at or below this height and are still to be folded.
  fold_from INTEGER,
  -- The highest of their blocks, once they are folded.
  folded_height INTEGER,
  folded_hash TEXT,
  -- The item that a write makes the index of: one transaction, made when those of the item are as deep as the chain wants.
  -- Its id is that of the item, a dot, and the beginning of a hash of the txids that it names: other txids are another index.
  index_of TEXT,
  -- Its transaction, once it is that deep.
  index_txid TEXT
) STRICT;

CREATE INDEX writes_by_state ON writes (blockchain, state, created_at);
CREATE INDEX writes_by_request ON writes (request_id);
CREATE INDEX writes_to_fold ON writes (blockchain, fold_from) WHERE fold_from IS NOT NULL;
CREATE INDEX writes_folded ON writes (blockchain, folded_height) WHERE folded_height IS NOT NULL;
CREATE INDEX writes_of_indexes ON writes (index_of) WHERE index_of IS NOT NULL;

-- A tx chain is a chain of our transactions, each spending the change of the one before; it starts from one coin.
CREATE TABLE tx_chains (
  blockchain TEXT NOT NULL,
  id INTEGER NOT NULL,
  coin_txid TEXT NOT NULL,
  coin_vout INTEGER NOT NULL,
  coin_value TEXT NOT NULL,
  -- script of the coin, and of the change all along the tx chain, in hex
  coin_script TEXT NOT NULL,
  script TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
  PRIMARY KEY (blockchain, id)
) STRICT;

CREATE UNIQUE INDEX tx_chains_open_coin ON tx_chains (blockchain, coin_txid, coin_vout) WHERE state = 'open';
-- Whether a coin that is locked at the wallet is one that a tx chain started from.
CREATE INDEX tx_chains_by_coin ON tx_chains (blockchain, coin_txid);
-- Each step of a chain's agent reads the open tx_chains: they are found without the closed ones, which are kept for ever.
CREATE INDEX tx_chains_open ON tx_chains (blockchain, id) WHERE state = 'open';

-- Every transaction that we signed. Its bytes are in R2, stored before it is sent.
CREATE TABLE transactions (
  blockchain TEXT NOT NULL,
  txid TEXT NOT NULL,
  tx_chain INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  -- NULL on a transaction that only pays for the tx chain before it (CPFP)
  item_id TEXT,
  item_index INTEGER,
  -- R2 key of the signed bytes of several transactions, and where this one lies in it; '' once they are deleted
  bundle TEXT NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  vsize INTEGER NOT NULL,
  fee TEXT NOT NULL,
  -- the output that the next in the tx chain spends
  change_vout INTEGER NOT NULL,
  change_value TEXT NOT NULL,
  -- signed; sent: the node has taken it; mined: on the best chain; dead: refused for good, replaced by another
  state TEXT NOT NULL CHECK (state IN ('signed', 'sent', 'mined', 'dead')),
  -- how often it was sent; counted before each time, because a reply may be lost
  attempts INTEGER NOT NULL DEFAULT 0,
  -- height of the best chain when the node first took it
  sent_height INTEGER,
  -- height when it was last known to be in the mempool
  checked_height INTEGER,
  block_hash TEXT,
  block_height INTEGER,
  -- Height of the best chain when another transaction in a block was first found to spend an input of this one; NULL
  -- where none does. A reorganisation below it takes it back.
  spent_height INTEGER,
  -- The withdrawal that a transaction of ours pays: one live transaction each.
  withdrawal_id TEXT,
  -- 1: given up. A column of its own, which a trigger keeps: an index of only those that are live by `state` is written anew
  -- with each change of state.
  dead INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (blockchain, txid),
  FOREIGN KEY (blockchain, tx_chain) REFERENCES tx_chains (blockchain, id)
) STRICT;

CREATE INDEX transactions_by_bundle ON transactions (blockchain, bundle);
CREATE INDEX transactions_spent_otherwise ON transactions (blockchain, spent_height) WHERE spent_height IS NOT NULL;
CREATE UNIQUE INDEX transactions_by_withdrawal ON transactions (withdrawal_id)
  WHERE state != 'dead' AND withdrawal_id IS NOT NULL;
CREATE INDEX transactions_of_withdrawal ON transactions (withdrawal_id) WHERE withdrawal_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_by_tx_chain ON transactions (blockchain, tx_chain, seq) WHERE dead = 0;
CREATE UNIQUE INDEX transactions_by_item ON transactions (item_id, item_index) WHERE dead = 0 AND item_id IS NOT NULL;
-- Those in no block are the ones without a height.
CREATE INDEX transactions_by_height ON transactions (blockchain, block_height) WHERE dead = 0;

-- The outputs that our live transactions spend: no two spend one.
CREATE TABLE transaction_inputs (
  blockchain TEXT NOT NULL,
  prev_txid TEXT NOT NULL,
  prev_vout INTEGER NOT NULL,
  txid TEXT NOT NULL,
  PRIMARY KEY (blockchain, prev_txid, prev_vout)
) STRICT;

CREATE INDEX transaction_inputs_by_transaction ON transaction_inputs (blockchain, txid);

-- The objects of signed bytes that are in the bucket, and the height of the best chain when each was recorded.
CREATE TABLE signed_bundles (
  blockchain TEXT NOT NULL,
  height INTEGER NOT NULL,
  -- R2 key
  bundle TEXT NOT NULL,
  PRIMARY KEY (blockchain, height, bundle)
) STRICT, WITHOUT ROWID;

-- Signed bytes that no transaction came to refer to, deleted or about to be. Kept for good: whoever put them there may
-- still be about to record them, however long ago that was, and is refused then.
CREATE TABLE swept_bundles (
  -- R2 key
  bundle TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- ## Money out

-- A withdrawal is ended by its owner while nothing was signed, or by an operator. Rows are ordered by their rowid.
CREATE TABLE withdrawals (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  blockchain TEXT NOT NULL,
  address TEXT NOT NULL,
  -- scriptPubKey of the address in hex, as the chain's node said it
  script TEXT NOT NULL,
  -- base units, decimal; the fee was debited beside the amount
  amount TEXT NOT NULL,
  fee TEXT NOT NULL,
  -- that the fee was made with, base units per 1,000 vbytes
  fee_rate TEXT NOT NULL,
  -- waiting: the node has taken no transaction of it; held: above a limit, until an operator approves it; failed: needs an
  -- operator; cancelled: by its owner, refunded: by an operator, both with the money back in the balance; paid_elsewhere: an
  -- operator paid it in another way
  state TEXT NOT NULL CHECK (
    state IN ('waiting', 'held', 'sent', 'confirmed', 'failed', 'cancelled', 'refunded', 'paid_elsewhere')),
  reason TEXT,
  -- since when that is the reason, milliseconds
  since INTEGER,
  -- The coin that every transaction ever signed for it spends: no two of them can be mined. NULL before the first.
  coin_txid TEXT,
  coin_vout INTEGER,
  coin_value TEXT,
  coin_script TEXT,
  created_at INTEGER NOT NULL,
  -- when its first transaction was signed, milliseconds
  released_at INTEGER,
  -- an operator let it pass the limits on payouts
  approved INTEGER NOT NULL DEFAULT 0,
  -- What an operator decided where something was signed: its coin is spent back to the wallet first, by the transaction at the
  -- beginning of this tx chain, signed at this height; and the height at which something else was first found to spend it
  ending TEXT CHECK (ending IN ('refunded', 'paid_elsewhere')),
  back_tx_chain INTEGER,
  back_height INTEGER,
  spent_height INTEGER,
  -- 1: it is explained that the wallet has a label which says that something was signed for it
  payout_labelled INTEGER NOT NULL DEFAULT 0,
  -- so many labels are explained which say that it ended: of ends that failed, or that an operator has looked up
  end_labels INTEGER NOT NULL DEFAULT 0,
  -- when the last end was begun that did not fail, milliseconds
  end_begun INTEGER
) STRICT;

CREATE INDEX withdrawals_by_user ON withdrawals (user_id, created_at, id);
CREATE INDEX withdrawals_unsent ON withdrawals (user_id) WHERE state IN ('waiting', 'held', 'failed');
CREATE INDEX withdrawals_by_state ON withdrawals (blockchain, state, created_at);
CREATE INDEX withdrawals_released ON withdrawals (blockchain, released_at) WHERE released_at IS NOT NULL;
CREATE INDEX withdrawals_ending ON withdrawals (blockchain) WHERE ending IS NOT NULL;

-- How many payouts of a chain were begun. The chain's agent has the same number in its own storage: where that is higher, this
-- database was restored to an earlier moment.
CREATE TABLE payout_numbers (
  blockchain TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT;

-- What left a wallet by transactions that this database does not know, until an operator says what they were.
CREATE TABLE sends (
  blockchain TEXT NOT NULL,
  txid TEXT NOT NULL,
  -- base units, decimal, without the network's fee
  amount TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  -- as what it was assigned; NULL until then
  assigned TEXT CHECK (assigned IN ('withdrawal', 'sweep', 'foreign')),
  -- of a withdrawal, what the balance of its account lacked
  loss TEXT NOT NULL DEFAULT '0',
  PRIMARY KEY (blockchain, txid)
) STRICT;

CREATE INDEX sends_unassigned ON sends (blockchain, seen_at) WHERE assigned IS NULL;

-- ## Each chain, as its agent follows it

-- How each chain's agent is.
CREATE TABLE chain_states (
  blockchain TEXT PRIMARY KEY,
  -- hash of the node's block 0, the first time it was seen: another one is another network
  genesis TEXT,
  -- when a step last ended well, and when its last new block was met
  stepped_at INTEGER,
  tip_hash TEXT,
  tip_at INTEGER,
  -- why steps fail now; NULL when they do not
  problem TEXT,
  problem_since INTEGER,
  -- Random, as the storage of the agent has it: where that has none or another, one of both was restored or replaced.
  mark TEXT
) STRICT;

-- The best chain as we followed it, its last few hundred blocks. Without a rowid a block costs one row written, not two.
CREATE TABLE blocks (
  blockchain TEXT NOT NULL,
  height INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (blockchain, height)
) STRICT, WITHOUT ROWID;

-- Up to where the node's wallet was searched for payments, and for what left it.
CREATE TABLE wallet_scans (
  blockchain TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  height INTEGER NOT NULL,
  -- How many transactions the wallet had when it was last searched: where more came than the search explains, a rescan
  -- found old ones. NULL before the first search.
  tx_count INTEGER,
  -- Until when every growth is taken for a rescan: the wallet lost some (milliseconds).
  restored_until INTEGER,
  -- Whether the wallet has the keys of the oldest and of the newest address that were given out ('11' for both), when it
  -- was last searched: where that has changed it is another wallet, and is searched from the beginning.
  wallet_keys TEXT,
  -- How many transactions of the wallet waited for a block then: they are listed again, and are no growth.
  waiting INTEGER,
  -- When the whole wallet was last searched (milliseconds), and whether it is to be searched again when that was long
  -- enough ago.
  searched_at INTEGER NOT NULL DEFAULT 0,
  search_due INTEGER NOT NULL DEFAULT 0,
  -- 1: what left it was looked for, too; what had before the first such search counts as assigned
  sends_known INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What an agent could not process, with the reason. The rest goes on without it, and it is tried again later.
CREATE TABLE failed_records (
  blockchain TEXT NOT NULL,
  -- payment (id: a txid), request, credit (a user), address, item, tx chain
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  reason TEXT NOT NULL,
  tries INTEGER NOT NULL,
  since INTEGER NOT NULL,
  retry_at INTEGER NOT NULL,
  PRIMARY KEY (blockchain, kind, id)
) STRICT, WITHOUT ROWID;

-- What of a chain does not go on, and why: one row for each cause, and it goes on when no row is left.
CREATE TABLE stops (
  blockchain TEXT NOT NULL,
  part TEXT NOT NULL CHECK (part IN ('payouts', 'writing')),
  -- hand: an operator; restored: the database is older than what was paid out; difference: two comparisons of ledger,
  -- wallet and chain differed; records: the bucket takes no record of a payout; sends: something left the wallet that the
  -- database does not explain
  cause TEXT NOT NULL CHECK (cause IN ('hand', 'restored', 'difference', 'records', 'sends')),
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  -- The agent's number and mark when a stop of the cause `restored` began.
  number INTEGER,
  mark TEXT,
  PRIMARY KEY (blockchain, part, cause)
) STRICT;

-- What is paid and not ended, and the height at which it last got further: a row for each item, withdrawal, tx chain or deposit.
CREATE TABLE progress (
  blockchain TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('item', 'withdrawal', 'tx_chain', 'deposit')),
  id TEXT NOT NULL,
  -- changes when it gets further
  mark TEXT NOT NULL,
  height INTEGER NOT NULL,
  PRIMARY KEY (blockchain, kind, id)
) STRICT;

-- What an operator has to look at, as long as it lasts: one row for each chain and code.
CREATE TABLE incidents (
  blockchain TEXT NOT NULL,
  code TEXT NOT NULL CHECK (code IN ('tx_chains_full', 'not_moved')),
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (blockchain, code)
) STRICT;

-- What ledger, wallet and chain said of each chain's money when they were last compared; base units, decimal.
CREATE TABLE reconciliations (
  blockchain TEXT PRIMARY KEY,
  ledger TEXT NOT NULL,
  wallet TEXT NOT NULL,
  chain TEXT NOT NULL,
  -- what the ledger owes to accounts, and what the wallet holds
  owed TEXT NOT NULL,
  held TEXT NOT NULL,
  read_at INTEGER NOT NULL,
  -- since when the comparison has differed; NULL where the last agreed, or was made while something moved
  differs_since INTEGER,
  -- what left the wallet and is not assigned
  unassigned TEXT NOT NULL DEFAULT '0'
) STRICT;

-- When a comparison was last asked for by the command beside the service, and when one was last begun.
CREATE TABLE reconciliation_asks (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  asked_at INTEGER NOT NULL,
  begun_at INTEGER NOT NULL
) STRICT;

-- ## Sites and domains

-- A name of its own that shows one stored item, its current version; another one after the next switch.
CREATE TABLE sites (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- how many versions there are, which is the number of the latest
  versions INTEGER NOT NULL DEFAULT 0,
  -- the number of the version that is shown; NULL before the first
  current INTEGER,
  -- how often another version was made current
  switches INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sites_by_user ON sites (user_id, created_at, id);

-- An item is a version of a site once: a repeated request makes no second one.
CREATE TABLE site_versions (
  site_id TEXT NOT NULL REFERENCES sites (id),
  number INTEGER NOT NULL,
  item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  note TEXT,
  created_at INTEGER NOT NULL,
  -- The name of who asked that it becomes current once its item is stored; NULL where nobody did, where that is done, and
  -- where another version was chosen since.
  when_stored TEXT,
  -- 1 where that was not done, since the site would answer 500 with it
  refused INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (site_id, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX site_versions_by_item ON site_versions (site_id, item_id);
CREATE INDEX site_versions_of_item ON site_versions (item_id);
CREATE INDEX site_versions_waiting ON site_versions (item_id) WHERE when_stored IS NOT NULL;

-- What was current when, and who made it so. `switch` counts the switches of a site.
CREATE TABLE site_periods (
  site_id TEXT NOT NULL REFERENCES sites (id),
  switch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  -- NULL while it is current
  until_at INTEGER,
  -- the account, and its name or its key's at that time
  user_id TEXT NOT NULL,
  made_by TEXT NOT NULL,
  PRIMARY KEY (site_id, switch)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX site_periods_open ON site_periods (site_id) WHERE until_at IS NULL;
CREATE INDEX site_periods_by_version ON site_periods (site_id, number, switch);

-- Hosts of users, claimed and proven; one claim a host.
CREATE TABLE domains (
  host TEXT PRIMARY KEY,
  item_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  -- of the custom hostname at Cloudflare; NULL where none is registered
  custom_hostname_id TEXT,
  -- active, or what Cloudflare says of the custom hostname
  status TEXT NOT NULL,
  -- the DNS record that proved the claim
  record TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  -- when Cloudflare was last asked about it
  asked_at INTEGER NOT NULL DEFAULT 0,
  -- A domain shows an item or, with `kind`, a site: `item_id` is the id of either.
  kind TEXT NOT NULL DEFAULT 'item' CHECK (kind IN ('item', 'site')),
  -- The steps of the last check, as JSON.
  steps TEXT,
  -- When DNS last named the item or site as we looked, and when we looked.
  seen_at INTEGER NOT NULL DEFAULT 0,
  looked_at INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX domains_by_user ON domains (user_id, host);
CREATE INDEX domains_by_look ON domains (looked_at);
CREATE INDEX domains_by_item ON domains (item_id, host);
CREATE INDEX domains_pending ON domains (user_id, asked_at) WHERE status NOT IN ('active', 'removing');
CREATE INDEX domains_removing ON domains (asked_at) WHERE status = 'removing';

-- Hosts whose record is not there yet. Any number of accounts may wait for one host.
CREATE TABLE waiting_domains (
  host TEXT NOT NULL,
  user_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('item', 'site')),
  created_at INTEGER NOT NULL,
  -- until when we look each minute
  wait_until INTEGER NOT NULL,
  looked_at INTEGER NOT NULL DEFAULT 0,
  steps TEXT,
  PRIMARY KEY (user_id, host)
) STRICT, WITHOUT ROWID;

CREATE INDEX waiting_domains_by_item ON waiting_domains (item_id, host);
CREATE INDEX waiting_domains_by_end ON waiting_domains (wait_until);

-- What DNS last said of a host, so that a resolver that cannot be asked stops no site.
CREATE TABLE domain_answers (
  host TEXT PRIMARY KEY,
  item_id TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;

CREATE INDEX domain_answers_by_age ON domain_answers (seen_at);

-- ## Events, streams and webhooks

-- What happened to an account, for its streams and webhooks: written in the batch of what it tells of, kept for a week.
CREATE TABLE events (
  -- In the order of the commits; the number by which a stream goes on. Never given twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  -- one of contract/event-types.ts
  type TEXT NOT NULL,
  -- what it happened to: an item, an address, a withdrawal
  subject TEXT NOT NULL,
  -- JSON
  data TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX events_by_user ON events (user_id, seq);
CREATE INDEX events_by_age ON events (at);
-- How far an item is: only the latest is kept.
CREATE UNIQUE INDEX events_of_progress ON events (subject) WHERE type = 'item.progress';

-- The streams that are open, so that an account has no more than a few. One that was abandoned expires.
CREATE TABLE event_streams (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The account's value when the stream was opened: a stream ends with the tokens of the account.
  token_epoch INTEGER NOT NULL DEFAULT 0,
  -- The API key that it was opened with, and with which it ends; NULL for an access token.
  key_id TEXT
) STRICT;

CREATE INDEX event_streams_by_user ON event_streams (user_id, expires_at);
CREATE INDEX event_streams_by_expiry ON event_streams (expires_at);

-- Addresses that are told of an account's events (Standard Webhooks).
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- `whsec_` and base64: what each message is signed with. Shown once.
  secret TEXT NOT NULL,
  -- JSON list of the types of events that it is told of
  types TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- since when no message was taken; NULL while the last one was
  failing_since INTEGER,
  -- what the last failure was
  problem TEXT,
  -- when it was turned off, which is for good; NULL while it is on
  off_at INTEGER,
  -- Who made a webhook: it ends with the API key that it was made with, and a password reset pauses it.
  -- 'key' or 'login'
  made_by TEXT NOT NULL,
  key_id TEXT,
  -- when that key ends by itself
  ends_at INTEGER,
  -- when it was paused; NULL while it is not
  paused_at INTEGER
) STRICT;

CREATE INDEX webhooks_by_user ON webhooks (user_id, created_at);
CREATE INDEX webhooks_by_key ON webhooks (key_id) WHERE key_id IS NOT NULL;
CREATE INDEX webhooks_by_end ON webhooks (ends_at) WHERE ends_at IS NOT NULL;

-- An event that a webhook has not taken yet.
CREATE TABLE webhook_deliveries (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_seq INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, event_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at);

-- Up to which event the deliveries were made.
CREATE TABLE webhook_position (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL
) STRICT;

-- ## What may not be served

-- What may not be served. A row is never removed, only lifted: readers follow `seq` and learn of both.
CREATE TABLE denied (
  kind TEXT NOT NULL CHECK (kind IN ('txid', 'cid', 'item')),
  -- 64 hex digits: the txid; the object id, filled up with zeros; of a CID its multihash, so that every
  -- spelling and codec of one content is one row
  digest TEXT NOT NULL,
  -- as a person wrote it, normalised
  value TEXT NOT NULL,
  reason TEXT NOT NULL,
  denied_by TEXT NOT NULL,
  lifted INTEGER NOT NULL DEFAULT 0,
  -- grows with every change of any row
  seq INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Of a CID that is denied since another name of the same website on a chain is: those names, each as kind:value and a
  -- space. NULL where it was denied by itself.
  behind TEXT,
  PRIMARY KEY (kind, digest)
) STRICT;

CREATE UNIQUE INDEX denied_by_seq ON denied (seq);

-- The denylist of somebody else that the operator follows (DENYLIST_URL): one row, what of it is in force.
CREATE TABLE denylist_import (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- where the row's list is from; NULL when none is followed
  url TEXT,
  -- the entity tag that it came with
  etag TEXT,
  -- its entries in the bucket, and those before, which isolates may still be reading; NULL when there are none
  object TEXT,
  previous TEXT,
  entries INTEGER NOT NULL DEFAULT 0,
  -- rules that are of no use here, and rules beyond the most that are taken
  skipped INTEGER NOT NULL DEFAULT 0,
  left_out INTEGER NOT NULL DEFAULT 0,
  -- milliseconds: last looked at, and last changed
  checked_at INTEGER NOT NULL DEFAULT 0,
  changed_at INTEGER,
  -- why the last look failed
  problem TEXT
) STRICT;

-- What people reported to be denied: a row for each thing, however often it is reported.
CREATE TABLE reports (
  -- an object id: reports in order of their ids are in order of time
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- as in `denied`
  digest TEXT NOT NULL,
  value TEXT NOT NULL,
  -- where it was seen, for a txid; NULL where nobody said
  blockchain TEXT,
  -- open, denied or dismissed
  status TEXT NOT NULL DEFAULT 'open',
  -- how many reports there were of it
  reports INTEGER NOT NULL DEFAULT 1,
  -- a user's id, milliseconds, and why
  decided_by TEXT,
  decided_at INTEGER,
  decision TEXT,
  -- The network that it was reported from first: the open reports of one network are limited.
  network TEXT
) STRICT;

CREATE UNIQUE INDEX reports_by_digest ON reports (kind, digest);
CREATE INDEX reports_by_status ON reports (status, id);
CREATE INDEX reports_open_by_network ON reports (network) WHERE status = 'open' AND network IS NOT NULL;
-- Decided reports are deleted by their age.
CREATE INDEX reports_by_decision ON reports (decided_at) WHERE decided_at IS NOT NULL;

-- What the first reporters of a thing said of it.
CREATE TABLE report_statements (
  report TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  -- the first report is 1
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  evidence TEXT,
  PRIMARY KEY (report, number)
) STRICT, WITHOUT ROWID;

-- From which networks a thing was reported, while nobody has decided: each counts once.
CREATE TABLE report_networks (
  report TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
  -- the first 24 bits of an IPv4 address, 48 of an IPv6 address; '' where it is not known
  network TEXT NOT NULL,
  PRIMARY KEY (report, network)
) STRICT, WITHOUT ROWID;

-- Who reported within the last hour: a client's address, or the /64 of one.
CREATE TABLE report_clients (
  client TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX report_clients_by_client ON report_clients (client, at);
CREATE INDEX report_clients_by_age ON report_clients (at);

-- How many reports are open: the queue has a limit, and counting it would read all of it.
CREATE TABLE open_reports (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  count INTEGER NOT NULL
) STRICT;

-- ## The service itself

-- A statement that inserts a 0 here fails its whole batch: how several guarded writes stay all or nothing.
CREATE TABLE assertions (holds INTEGER NOT NULL CHECK (holds = 1)) STRICT;

-- How much was let into the caches in the bucket that strangers fill, by the hour.
CREATE TABLE cache_admissions (
  cache TEXT NOT NULL, -- 'chain', or 'ipfs' for blocks from gateways
  hour INTEGER NOT NULL, -- whole hours since 1970
  bytes INTEGER NOT NULL, -- reserved by isolates: what they did not use is counted as well
  PRIMARY KEY (cache, hour)
) WITHOUT ROWID;

-- How far the jobs came that look through a prefix of the bucket, some objects a run.
CREATE TABLE sweep_positions (
  prefix TEXT PRIMARY KEY,
  position TEXT NOT NULL -- the last key that was looked at; empty at the beginning
) WITHOUT ROWID;

-- How many rows each table that grows had when it was last counted.
CREATE TABLE table_counts (
  name TEXT PRIMARY KEY,
  rows INTEGER NOT NULL,
  -- milliseconds
  counted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How large the database was on each day.
CREATE TABLE database_sizes (
  -- days since 1970
  day INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT;

-- When all jobs of the minute last ended well, in milliseconds.
CREATE TABLE minute_runs (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  ended_at INTEGER NOT NULL
) STRICT;

-- What needs an operator, as long as it lasts: one row for each sign, and chain where it is of one.
CREATE TABLE alerts (
  name TEXT NOT NULL,
  subject TEXT NOT NULL, -- a chain, or empty
  detail TEXT NOT NULL,
  -- milliseconds: found first, found last, and told; NULL until it has lasted long enough to be told
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  raised_at INTEGER,
  PRIMARY KEY (name, subject)
) STRICT, WITHOUT ROWID;

-- What the operator's webhook has not accepted yet.
CREATE TABLE alert_messages (
  id INTEGER PRIMARY KEY,
  body TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL
) STRICT;

-- ## The view

-- FTS5 cuts a name into words where it is neither letter nor digit; so does this, for the marks that names have.
CREATE VIEW wanted_words AS
  SELECT id AS item_id, replace(' ' ||
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    replace(replace(replace(
    name,
    '!', ' '), '"', ' '), '#', ' '), '$', ' '), '%', ' '), '&', ' '),
    '''', ' '), '(', ' '), ')', ' '), '*', ' '), '+', ' '), ',', ' '),
    '-', ' '), '.', ' '), ':', ' '), ';', ' '), '<', ' '), '=', ' '),
    '>', ' '), '?', ' '), '@', ' '), '[', ' '), ']', ' '), '^', ' '),
    '_', ' '), '`', ' '), '{', ' '), '|', ' '), '}', ' '), '~', ' '),
    ' ', ' '), '–', ' '), '—', ' '), '‘', ' '), '’', ' '), '“', ' '),
    '”', ' '), '…', ' '), '·', ' '), '«', ' '), '»', ' '), '、', ' '),
    '。', ' '), '・', ' '), '（', ' '), '）', ' '), '「', ' '), '」', ' '),
    '，', ' '), '＿', ' '), '　', ' '),
    ' ', ' ' || hex(user_id) || 'x') AS words
  FROM items WHERE removed_at IS NULL;

-- ## Triggers

CREATE TRIGGER item_id_is_no_site BEFORE INSERT ON items
WHEN EXISTS (SELECT 1 FROM sites WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: the id of a site');
END;

CREATE TRIGGER items_inserted AFTER INSERT ON items WHEN NEW.removed_at IS NULL BEGIN
  INSERT INTO item_numbers (item_id) VALUES (NEW.id);
  INSERT INTO item_words (rowid, words)
    SELECT n, words FROM item_numbers JOIN wanted_words USING (item_id) WHERE item_id = NEW.id;
END;

CREATE TRIGGER items_deleted BEFORE DELETE ON items WHEN OLD.removed_at IS NULL BEGIN
  DELETE FROM item_words WHERE rowid = (SELECT n FROM item_numbers WHERE item_id = OLD.id);
  DELETE FROM item_numbers WHERE item_id = OLD.id;
END;

CREATE TRIGGER items_losing_words BEFORE UPDATE OF user_id, name, removed_at ON items WHEN OLD.removed_at IS NULL BEGIN
  DELETE FROM item_words WHERE rowid = (SELECT n FROM item_numbers WHERE item_id = OLD.id);
  DELETE FROM item_numbers WHERE item_id = OLD.id;
END;

CREATE TRIGGER items_getting_words AFTER UPDATE OF user_id, name, removed_at ON items WHEN NEW.removed_at IS NULL BEGIN
  INSERT INTO item_numbers (item_id) VALUES (NEW.id);
  INSERT INTO item_words (rowid, words)
    SELECT n, words FROM item_numbers JOIN wanted_words USING (item_id) WHERE item_id = NEW.id;
END;

CREATE TRIGGER items_leaving_sites AFTER UPDATE OF removed_at ON items
WHEN NEW.removed_at IS NOT NULL AND OLD.removed_at IS NULL BEGIN
  DELETE FROM site_versions WHERE item_id = NEW.id;
END;

CREATE TRIGGER items_in_directory AFTER UPDATE OF part_of ON items WHEN NEW.part_of IS NOT OLD.part_of BEGIN
  UPDATE items SET files = files - 1 WHERE id = OLD.part_of;
  UPDATE items SET files = files + 1 WHERE id = NEW.part_of;
END;

-- A folder may be 32 deep, and an item lies in its folder and in all those above.
CREATE TRIGGER items_into_folder AFTER INSERT ON items
WHEN NEW.folder_id IS NOT NULL AND NEW.directory_of IS NULL AND NEW.removed_at IS NULL BEGIN
  UPDATE folders SET items = items + 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT NEW.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;

CREATE TRIGGER items_out_of_folder AFTER UPDATE OF removed_at ON items
WHEN NEW.folder_id IS NOT NULL AND NEW.directory_of IS NULL AND NEW.removed_at IS NOT NULL AND OLD.removed_at IS NULL BEGIN
  UPDATE folders SET items = items - 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT NEW.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;

CREATE TRIGGER items_deleted_from_folder AFTER DELETE ON items
WHEN OLD.folder_id IS NOT NULL AND OLD.directory_of IS NULL AND OLD.removed_at IS NULL BEGIN
  UPDATE folders SET items = items - 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT OLD.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;

CREATE TRIGGER folders_merged AFTER UPDATE OF status ON items
WHEN NEW.directory_of IS NOT NULL AND OLD.status = 201 AND NEW.status <> 201 BEGIN
  UPDATE folders SET merged = 1 WHERE id = NEW.directory_of;
END;

-- An item, or a folder with all below it, that is moved counts where it lies now. A folder may be 32 deep.
CREATE TRIGGER items_between_folders AFTER UPDATE OF folder_id ON items
WHEN NEW.folder_id IS NOT OLD.folder_id AND NEW.directory_of IS NULL AND NEW.removed_at IS NULL BEGIN
  UPDATE folders SET items = items - 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT OLD.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
  UPDATE folders SET items = items + 1 WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT NEW.folder_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;

-- An order goes with the last of what is in it.
CREATE TRIGGER items_leaving_order AFTER DELETE ON items WHEN OLD.order_id IS NOT NULL BEGIN
  DELETE FROM orders WHERE user_id = OLD.user_id AND id = OLD.order_id
    AND NOT EXISTS (SELECT 1 FROM items WHERE user_id = OLD.user_id AND order_id = OLD.order_id)
    AND NOT EXISTS (SELECT 1 FROM folders WHERE user_id = OLD.user_id AND order_id = OLD.order_id);
END;

CREATE TRIGGER items_held AFTER INSERT ON items WHEN NEW.status IN (201, 402) BEGIN
  INSERT INTO holdings (user_id, items, bytes, removed_items, removed_bytes)
    SELECT user_id, NEW.removed_at IS NULL, IIF(NEW.removed_at IS NULL, size, 0),
      NEW.removed_at IS NOT NULL, IIF(NEW.removed_at IS NULL, 0, size)
    FROM (SELECT NEW.user_id AS user_id, IIF(NEW.directory_of IS NULL, NEW.size, 0) AS size
      UNION ALL SELECT '', IIF(NEW.directory_of IS NULL, NEW.size, 0))
    WHERE TRUE
    ON CONFLICT (user_id) DO UPDATE SET items = items + excluded.items, bytes = bytes + excluded.bytes,
      removed_items = removed_items + excluded.removed_items, removed_bytes = removed_bytes + excluded.removed_bytes;
END;

CREATE TRIGGER items_held_no_more AFTER UPDATE OF status ON items
WHEN OLD.status IN (201, 402) AND OLD.removed_at IS NULL AND NEW.status NOT IN (201, 402) BEGIN
  UPDATE holdings SET items = items - 1, bytes = bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
  DELETE FROM holdings WHERE user_id = OLD.user_id AND items = 0 AND removed_items = 0;
END;

CREATE TRIGGER items_held_removed AFTER UPDATE OF removed_at ON items
WHEN NEW.status IN (201, 402) AND OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL BEGIN
  UPDATE holdings SET
    items = items - 1, bytes = bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0),
    removed_items = removed_items + 1, removed_bytes = removed_bytes + IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
END;

CREATE TRIGGER items_held_deleted AFTER DELETE ON items WHEN OLD.status IN (201, 402) AND OLD.removed_at IS NULL BEGIN
  UPDATE holdings SET items = items - 1, bytes = bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
  DELETE FROM holdings WHERE user_id = OLD.user_id AND items = 0 AND removed_items = 0;
END;

CREATE TRIGGER items_removed_deleted AFTER DELETE ON items WHEN OLD.status IN (201, 402) AND OLD.removed_at IS NOT NULL BEGIN
  UPDATE holdings SET
    removed_items = removed_items - 1, removed_bytes = removed_bytes - IIF(OLD.directory_of IS NULL, OLD.size, 0)
    WHERE user_id IN (OLD.user_id, '');
  DELETE FROM holdings WHERE user_id = OLD.user_id AND items = 0 AND removed_items = 0;
END;

CREATE TRIGGER folders_between_folders AFTER UPDATE OF parent_id ON folders
WHEN NEW.parent_id IS NOT OLD.parent_id BEGIN
  UPDATE folders SET items = items - NEW.items WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT OLD.parent_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
  UPDATE folders SET items = items + NEW.items WHERE id IN (
    WITH RECURSIVE up (id) AS (
      SELECT NEW.parent_id UNION ALL
      SELECT f.parent_id FROM folders f JOIN up ON f.id = up.id WHERE f.parent_id IS NOT NULL)
    SELECT id FROM up);
END;

CREATE TRIGGER folders_leaving_order AFTER DELETE ON folders WHEN OLD.order_id IS NOT NULL BEGIN
  DELETE FROM orders WHERE user_id = OLD.user_id AND id = OLD.order_id
    AND NOT EXISTS (SELECT 1 FROM items WHERE user_id = OLD.user_id AND order_id = OLD.order_id)
    AND NOT EXISTS (SELECT 1 FROM folders WHERE user_id = OLD.user_id AND order_id = OLD.order_id);
END;

-- Sites and items are found under the same kind of host, so no id may be one of both. D1 has one writer at a time.
CREATE TRIGGER site_id_is_no_item BEFORE INSERT ON sites
WHEN EXISTS (SELECT 1 FROM items WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: the id of an item');
END;

CREATE TRIGGER transactions_given_up AFTER UPDATE OF state ON transactions WHEN (NEW.state = 'dead') != NEW.dead BEGIN
  UPDATE transactions SET dead = (NEW.state = 'dead') WHERE rowid = NEW.rowid;
END;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit log is only added to');
END;

-- By the clock of the database: no caller's time shortens how long a row is kept.
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN OLD.kept_until IS NULL OR OLD.kept_until > unixepoch() * 1000
BEGIN
  SELECT RAISE(ABORT, 'the audit log is only added to');
END;

CREATE TRIGGER report_is_made AFTER INSERT ON reports
BEGIN
  UPDATE open_reports SET count = count + (NEW.status = 'open');
END;

CREATE TRIGGER report_is_decided AFTER UPDATE OF status ON reports
BEGIN
  UPDATE open_reports SET count = count + (NEW.status = 'open') - (OLD.status = 'open');
END;

CREATE TRIGGER report_is_removed AFTER DELETE ON reports
BEGIN
  UPDATE open_reports SET count = count - (OLD.status = 'open');
END;

CREATE TRIGGER report_networks_end AFTER UPDATE OF status ON reports WHEN NEW.status <> 'open'
BEGIN
  DELETE FROM report_networks WHERE report = NEW.id;
END;

-- ## Rows that are there from the beginning

-- All accounts together.
INSERT INTO holdings (user_id, items, bytes) VALUES ('', 0, 0);
INSERT INTO open_reports (id, count) VALUES (1, 0);
INSERT INTO denylist_import (id) VALUES (1);
INSERT INTO prices (id) VALUES (1);
INSERT INTO order_mail_position (id, seq) VALUES (1, 0);
INSERT INTO webhook_position (id, seq) VALUES (1, 0);
INSERT INTO reconciliation_asks (id, asked_at, begun_at) VALUES (1, 0, 0);
