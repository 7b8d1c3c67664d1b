/** What a line of the log is about, by the code that it begins with. `docs/operate/watch.md` has them as a table. */
export interface LogCode {
  meaning: string
  /** What an operator does; nothing where the service goes on by itself. */
  act?: string
}

const BUCKET = 'nothing if it stays alone; many at once: look at R2 (or the disk)'
const DATABASE = 'nothing if it stays alone; many at once: look at D1'
const WALLET = 'see [nodes.md](nodes.md): fund the wallet, or unlock it'
const OTHER_SPENDER = 'find what else spends from the wallet: a second copy of it, or you'

/** All codes of errors and warnings, by subject. A test holds that the Worker writes no other and has each of these. */
export const LOG_CODES = {
  // The service itself
  configuration_not_usable: {
    meaning: 'settings are missing or wrong; each request is 503',
    act: 'correct what it names, deploy',
  },
  unexpected_error: {
    meaning: 'an error that nothing expects; the answer has its id as `X-Request-Id`',
    act: 'report it with that line',
  },
  job_failed: {
    meaning: 'a job of the minute failed: payments and writes wait',
    act: 'look at the reason; it runs again in a minute',
  },
  part_down: { meaning: 'a part did not answer health: `storage`, or a chain', act: 'look at that part' },
  database_filling: {
    meaning: '80 % or 95 % of the 10 GB that D1 holds is used; new items are refused',
    act: '`GET /v0/operate/health` says how many days are left; see [limits.md](limits.md)',
  },
  stream_ended_early: { meaning: 'an answer ended before its end: its reader left, or its source failed' },

  alert_not_sent: {
    meaning: '`ALERT_WEBHOOK` did not accept what needs an operator; it is sent again, for a day',
    act: 'look at that service',
  },
  heartbeat_not_sent: {
    meaning: '`HEARTBEAT_URL` did not answer; your monitor will tell of a service that stands still',
    act: 'look at that monitor',
  },
  database_down: { meaning: 'D1 did not answer the job of the minute', act: DATABASE },

  // A chain and its node
  step_failed: { meaning: "a step of a chain's agent failed", act: 'look at the reason; it is tried again' },
  agent_fails: {
    meaning: "a chain's agent ends no step; nothing is sold on that chain",
    act: 'its message has the last problem: mostly the node',
  },
  node_not_followed: {
    meaning: "a chain's node is behind, syncing or contradicts itself: nothing is sold, credited or sent meanwhile",
    act: 'see [node-behind.md](runbooks/node-behind.md)',
  },
  agent_not_woken: { meaning: "a chain's agent could not be called; the job of the minute calls it" },
  problem_not_noted: { meaning: 'the reason why a chain stands could not be stored', act: DATABASE },
  payment_down: { meaning: 'the node or its wallet does not work: nothing is sold on that chain', act: WALLET },
  target_unavailable: {
    meaning: 'somebody asked for a price on a chain whose node or wallet does not work',
    act: WALLET,
  },
  transactions_not_indexed: {
    meaning: 'no node has a complete `txindex`, as for hours after a `-reindex`: what is not cached is 502',
    act: 'set `txindex=1`, or wait until it is built',
  },
  chain_reorganised: { meaning: 'blocks left the best chain; what they held is looked for again' },
  record_failed: {
    meaning: 'a payment, request, item or tx chain could not be processed; it is retried',
    act: '`GET /v0/operate/health` lists it; decide where it stays',
  },
  not_moved: {
    meaning: 'something paid made no progress for 36 blocks',
    act: 'look at fees, coins and whether the node broadcasts',
  },

  // Payments
  wallet_not_searched: {
    meaning: "the wallet's transactions could not be read: payments are seen later",
    act: 'look at the node',
  },
  wallet_searched: { meaning: 'the wallet was searched from its beginning, as after a restore' },
  address_recovered: {
    meaning: 'an address that the database had lost was found by its label',
    act: 'expected after a restore, never otherwise',
  },
  addresses_unpaid: {
    meaning: 'consecutive unpaid addresses reach half of the key pool',
    act: 'set a larger `keypool` (the 1.14 family has 100), call `keypoolrefill`, back up',
  },
  items_gone: { meaning: 'a request was paid for items that are gone; the money is credited' },
  deposits_not_asked: {
    meaning: "an operator's list of lost deposits is short of a chain whose node does not answer",
    act: 'ask again',
  },
  unpaid_budget_full: {
    meaning: 'accounts that pay nothing fill what all may have unpaid; the oldest such items are removed',
    act: 'many for hours: an attack; see [limits.md](limits.md#what-readers-can-fill)',
  },

  // Writing
  fees_above_ceiling: {
    meaning: 'paid items or withdrawals wait until fees fall below twice the rate they were priced with',
  },
  coins_missing: {
    meaning: 'paid items or withdrawals wait: the wallet has no confirmed coins for them',
    act: 'fund the wallet',
  },
  tx_chains_full: {
    meaning:
      'paid items or withdrawals wait: four times `WRITER_TX_CHAINS` tx chains are open, and none can pay the present fee rate',
    act: 'wait, or raise `WRITER_TX_CHAINS`',
  },
  tx_chains_stuck: { meaning: 'writes were not mined in several blocks: their tx chains are bumped' },
  tx_chains_spent: {
    meaning: 'other transactions have spent coins of tx chains, which are closed',
    act: OTHER_SPENDER,
  },
  transaction_not_taken: {
    meaning: 'the node refused a transaction; it is sent again, or written anew',
    act: 'look at the reason: mostly its policy',
  },
  package_not_taken: { meaning: 'the node refused a package of transactions; they are sent one by one' },
  transaction_given_up: {
    meaning: 'a transaction that was never mined is given up: another spends its input',
    act: OTHER_SPENDER,
  },
  transaction_lost: { meaning: 'a mined transaction left the chain, and another spends its input', act: OTHER_SPENDER },
  source_lost: {
    meaning:
      'a parent of transactions left the chain: items are written anew after six blocks; a withdrawal waits until it is back',
  },
  not_folded: {
    meaning: "an item's stored transactions differ from those that it was published with",
    act: 'report it',
  },
  stored_bytes_gone: {
    meaning: 'the bucket lost bytes of paid items that are not written yet',
    act: 'restore the bucket',
  },
  signed_bytes_gone: { meaning: 'the bucket lost signed transactions', act: 'restore the bucket' },

  // Withdrawals and money
  payout_held: {
    meaning: 'a withdrawal is above a limit and waits for your approval',
    act: '`GET /v0/operate/health`; approve or refuse it',
  },
  payout_not_recorded: { meaning: 'the record of a payout could not be stored in R2; it is not sent', act: BUCKET },
  payout_not_sent: {
    meaning: 'a payout was not sent, for another may have paid its withdrawal before the database was restored',
    act: 'nothing: the agent looks for that one',
  },
  payout_unknown: {
    meaning: 'a refund waits for your decision about a payout that database and wallet have lost',
    act: 'see [recovery.md](recovery.md#after-a-restore-of-d1)',
  },
  payouts_not_listed: { meaning: 'more lost payouts than one list has; the rest is only here' },
  payouts_stopped: {
    meaning: 'payouts of a chain are stopped',
    act: '`GET /v0/operate/health` has the reason; `PUT /v0/operate/stop/<chain>` resumes them',
  },
  end_not_recorded: { meaning: 'the record of an ended withdrawal could not be stored in R2', act: BUCKET },
  withdrawals_labelled: {
    meaning: 'the wallet has labels of withdrawals that the database does not explain: it was restored',
    act: 'see [recovery.md](recovery.md#after-a-restore-of-d1)',
  },
  coins_spent: {
    meaning: 'the wallet lists coins that the node says are spent: it was restored',
    act: 'rescan the chain, see [recovery.md](recovery.md#after-a-restore-of-d1)',
  },
  sends_unknown: {
    meaning: 'the wallet sent what the database does not know',
    act: 'assign each: `GET /v0/operate/send`',
  },
  reconciliation_differs: {
    meaning: 'ledger, wallet and chain differ about what customers paid',
    act: 'sell nothing before you know why',
  },
  reconciliation_failed: {
    meaning:
      'a chain could not be reconciled: its node did not answer, or its wallet has too many transactions for one answer',
    act: 'run `npm run admin -- reconcile`',
  },
  wallet_below_balances: { meaning: 'the wallet has less money than accounts could withdraw', act: 'refill it' },

  // Content
  bucket_unavailable: { meaning: 'cached content could not be read; the chain is asked instead', act: BUCKET },
  content_not_kept: { meaning: 'content was answered and not cached', act: BUCKET },
  block_list_not_kept: { meaning: 'the txids of a block were used for a proof and not cached', act: BUCKET },
  edge_record_not_kept: { meaning: "content was answered and not kept in this data centre's cache" },
  edge_block_not_kept: { meaning: "a block was answered and not kept in this data centre's cache" },
  packs_unavailable: { meaning: 'cached transactions could not be read; the node is asked instead', act: BUCKET },
  pack_damaged: { meaning: 'cached transactions are damaged; the node is asked instead', act: BUCKET },
  record_damaged: {
    meaning: 'an object of the bucket is not what was stored',
    act: 'restore it, before customers pay for more',
  },
  stored_block_damaged: {
    meaning: 'a stored IPFS block is damaged; gateways are asked instead',
    act: 'restore it, if it is of an item',
  },
  block_store_unavailable: { meaning: 'stored IPFS blocks could not be read; gateways are asked instead', act: BUCKET },
  block_not_kept: { meaning: 'an IPFS block was answered and not cached', act: BUCKET },
  ipns_record_not_kept: { meaning: 'an IPNS record was used and not kept', act: BUCKET },
  gateway_sent_wrong_bytes: { meaning: 'a gateway sent false bytes', act: 'remove it from `IPFS_GATEWAYS`' },
  cache_budget_spent: {
    meaning: 'the bytes that readers may cache in an hour are used up: more is served and not cached',
  },
  cache_budget_unavailable: { meaning: 'nothing is cached, for the budget could not be read', act: DATABASE },
  known_item_served: { meaning: 'D1 does not answer; an item is served as it was known', act: DATABASE },
  known_address_served: {
    meaning: 'D1 does not answer; the address of a site is served as it was known',
    act: DATABASE,
  },
  known_version_served: { meaning: 'D1 does not answer; a site is served as it was known', act: DATABASE },
  version_not_switched: { meaning: 'a site still shows its old version; it is tried again in a minute', act: BUCKET },
  denylist_not_updated: { meaning: 'D1 does not answer; changes of the denylist are not applied yet', act: DATABASE },
  denylist_copy_not_kept: { meaning: "the denylist was not kept in this data centre's cache" },
  denylist_copy_not_read: { meaning: "the denylist in this data centre's cache could not be read; D1 is asked" },
  denylist_import_not_read: { meaning: 'the imported denylist could not be read; the one before holds', act: BUCKET },
  prices_not_read: {
    meaning: '`PRICE_URL` could not be read; the last prices are shown until they are a day old',
    act: 'look at that address',
  },
  denylist_not_imported: {
    meaning: '`DENYLIST_URL` could not be read; the list before holds',
    act: 'look at that address',
  },
  denylist_too_long: { meaning: '`DENYLIST_URL` has more rules than are taken', act: 'shorten the list' },

  // Items, sites and hosts
  merge_failed: {
    meaning: 'an upload could not be put together; it is tried again',
    act: 'report it with that line, if it stays',
  },
  upload_not_aborted: { meaning: "a failed upload to R2 was not aborted; R2's own rule removes it after a week" },
  lease_not_renewed: { meaning: 'D1 answers late: an upload that is sent again waits up to a minute', act: DATABASE },
  purge_failed: { meaning: 'the bytes of a deleted item are still in the bucket; a later run removes them' },
  sweep_failed: {
    meaning: 'the removal of something old failed; it is tried again',
    act: 'look at the reason, if it stays',
  },
  hook_build_not_kept: { meaning: 'this build of `hook.js` is not kept for pages that pin it', act: BUCKET },
  console_build_not_kept: { meaning: 'this build of the console is not kept for open pages', act: BUCKET },
  domain_not_looked_at: { meaning: "a user's domain could not be checked; it is checked again" },
  domain_answer_not_kept: { meaning: "the answer about a user's domain was not cached" },
  hostname_refused: {
    meaning: "Cloudflare's API refuses a custom hostname, or `CF_API_TOKEN` has expired",
    act: 'look at the reason; many at once: its rate limit',
  },
  hostname_pending: { meaning: "a custom hostname could not be looked up at Cloudflare's API; it is looked up again" },
  hostname_not_asked: { meaning: "Cloudflare's API did not answer about a custom hostname" },
  hostname_not_removed: {
    meaning: 'a custom hostname that nobody has any more could not be removed; it is tried again',
  },

  // Accounts and messages
  mail_not_sent: { meaning: 'the mail provider did not accept a mail; it is sent again, for a day' },
  mail_waits: {
    meaning: 'mails wait: nobody can sign up or reset a password',
    act: 'look at the mail provider, and at `mail_not_sent`',
  },
  pepper_missing: {
    meaning: "somebody's password can't be checked: a pepper was removed",
    act: 'restore it in `PASSWORD_PEPPER`',
  },
  key_use_not_written: { meaning: "an API key's last use was not stored", act: DATABASE },
  idempotency_key_not_kept: {
    meaning: 'an answer was not kept for a request that is sent again, which waits up to a minute',
    act: DATABASE,
  },
  webhooks_not_told: {
    meaning: "webhook messages are late: the chain's agent could not send them, and only the job of the minute does",
  },
  webhook_secret_unreadable: {
    meaning: "a webhook's secret was encrypted with a key that is no longer in `TOKEN_JWKS`: its messages wait",
    act: 'add that key again',
  },
} as const satisfies Record<string, LogCode>
