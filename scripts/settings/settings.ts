import { QUOTA_NAMES, QUOTAS } from '../../contract/quotas.ts'
import type { ChainSetting, ServiceVariable } from '../../worker/platform/config/config.ts'
import { type QuotaSetting, quotaSetting } from '../../worker/platform/config/quota-limits.ts'
import type { DeploySetting } from '../deploy/check-deploy.ts'

/** A setting; what is in capitals before `<CHAIN>` exists once for each chain. */
type SettingName = `${ChainSetting}_<CHAIN>` | ServiceVariable | DeploySetting

/** The parts of `.env.production.example` and of docs/operate/settings.md, in their order. */
export const PARTS = {
  first: 'What a first deployment reads',
  chains: 'Chains',
  money: 'Prices and payments',
  payouts: 'The wallet and withdrawals',
  ipfs: 'IPFS',
  limits: 'Sizes, and what may be filled',
  accounts: 'Accounts and the console',
  alerts: 'Alerts and metrics',
  domains: 'Hosts and domains',
  names: 'Names at Cloudflare',
  local: 'For a machine of your own',
} as const

export interface Setting {
  part: keyof typeof PARTS
  /** What it is, and what holds where it is empty. */
  what: string
  /** Why one operator would choose another value than the next. */
  why: string
  /** What the example has. */
  example?: string
  /** A command that makes one. */
  made?: string
}

const OWN_SETTINGS: Record<Exclude<SettingName, QuotaSetting>, Setting> = {
  BASE_URL: {
    part: 'first',
    what: 'The host of API, accounts and console.',
    why: 'It is your domain, a zone of your Cloudflare account.',
    example: 'https://api.hookline.example',
  },
  STORAGE_HOST: {
    part: 'first',
    what: 'The host of content.',
    why: 'It is yours too, on another registrable domain than BASE_URL, since it serves pages of strangers.',
    example: 'hookline-content.example',
  },
  TOKEN_JWKS: {
    part: 'first',
    what: 'Keys that sign tokens.',
    why: 'They are yours, and secret: who knows them can be anybody.',
    made: `node -e 'console.log(JSON.stringify({keys:[{kty:"oct",alg:"HS256",k:crypto.randomBytes(32).toString("base64url")}]}))'`,
  },
  PASSWORD_PEPPER: {
    part: 'first',
    what: 'A secret in every password hash. None by default.',
    why: 'A copy of the database alone then gives no password away. Once set it stays: docs/operate/day-two.md, Rotating keys.',
    made: `node -e 'console.log(crypto.randomBytes(32).toString("base64url"))'`,
  },
  'RPC_<CHAIN>': {
    part: 'first',
    what: 'Nodes, by name and over https, several separated by commas. The first one has the wallet.',
    why: 'A chain without a node is not offered.',
  },
  'RPC_WALLET_<CHAIN>': {
    part: 'first',
    what: 'The name of the wallet on the first node.',
    why: 'Needed where that node has more than one.',
  },
  'GENESIS_<CHAIN>': {
    part: 'first',
    what: "The hash of block 0 (`getblockhash 0`), by default the main network's: a node of another network is refused.",
    why: 'A chain of your own, as Nativecoin is, needs it.',
  },
  IPFS_PAYMENT_CHAIN: {
    part: 'first',
    what: 'The chain that items on IPFS are paid on, by default Nativecoin.',
    why: 'Without a node of that chain no storage on IPFS is sold.',
  },
  IPFS_GATEWAYS: {
    part: 'first',
    what: 'Trustless gateways, which are asked for blocks that are not stored here. None by default.',
    why: 'They make content of others readable, as fast and as reliably as the gateways are.',
  },
  MAIL_URL: {
    part: 'first',
    what: "A mail provider's HTTP API that takes `{from, to, subject, text, html}` with a bearer token.",
    why: 'It is your provider.',
  },
  MAIL_TOKEN: { part: 'first', what: 'The bearer token of that API.', why: 'It is yours, and secret.' },
  MAIL_FROM: {
    part: 'first',
    what: 'The sender of mails, such as `Hookline <no-reply@api.example>`.',
    why: 'It is of your domain, which has SPF, DKIM and DMARC.',
  },
  CLOUDFLARE_ACCOUNT_ID: {
    part: 'first',
    what: 'The account that is deployed to.',
    why: 'Needed where `npx wrangler login` is not possible, as in CI.',
  },
  CLOUDFLARE_API_TOKEN: {
    part: 'first',
    what: 'A token of that account.',
    why: 'Needed where `npx wrangler login` is not possible, as in CI.',
  },

  'CONFIRMATIONS_<CHAIN>': {
    part: 'chains',
    what: 'The depth at which a payment settles and a write is published: 3, 6, 2.',
    why: 'A deeper reorganisation takes away money that was credited: raise it where you fear one.',
  },
  'CONFIRMATIONS_ABOVE_<CHAIN>': {
    part: 'chains',
    what: 'More confirmations for what one transaction pays to all addresses of the service: `coins:confirmations`, both rising, such as 1:6,25:30. Several transactions are not added up.',
    why: 'Only sums that are worth an attack on the chain then wait for longer.',
  },
  'BLOCK_SECONDS_<CHAIN>': {
    part: 'chains',
    what: 'The usual time between two blocks: 600, 60, 600. `GET /v0/targets` derives the time to store from it.',
    why: 'A chain of your own may have other blocks.',
  },
  'MAX_DATA_BYTES_<CHAIN>': {
    part: 'chains',
    what: 'Bytes of data in one transaction: 102480, 80, 80.',
    why: "It follows from your nodes' policy, and from what other nodes relay.",
  },
  WRITER_TX_CHAINS: {
    part: 'chains',
    what: 'Chains of unconfirmed transactions that are written at a time: 8.',
    why: 'More write faster and need more coins in the wallet.',
  },

  INSCRIPTIONS: {
    part: 'chains',
    what: 'Chains, with commas between them, of which inscriptions, doginals and stamps are read: what others wrote. None by default.',
    why: 'It is content of strangers, that no upload of yours brought in; its reading costs your node two calls.',
  },

  'PRICE_PER_KIB_<CHAIN>': {
    part: 'money',
    what: 'Coins for each KiB stored, added to the fees: 0.00001.',
    why: 'It is your price.',
  },
  PRICE_PER_KIB_IPFS: {
    part: 'money',
    what: 'The same for items on IPFS, in coins of IPFS_PAYMENT_CHAIN: 0.00001.',
    why: 'It is your price, from which the bucket is paid.',
  },
  PRICE_URL: {
    part: 'money',
    what: 'A document that says what coins are worth, asked for every ten minutes; its form is in docs/operate/public.md. None by default.',
    why: 'People then see what something costs in a currency that they know; nothing that is charged depends on it.',
  },
  SELLER: {
    part: 'money',
    what: 'Who sells, as receipts name it: lines, with `\\n` between them. None by default.',
    why: 'It is your name and address, and what your law asks for, such as a number for taxes.',
    example: 'Example Ltd\\n1 High Street\\nLondon',
  },
  PAYMENT_EXPIRY_SECONDS: {
    part: 'money',
    what: 'How long a price is valid: 3600. A request whose payment was seen within that time stays open a day longer.',
    why: 'Shorter where fees change fast, longer where your customers pay slowly.',
  },
  PAYMENT_TOLERANCE_PERCENT: {
    part: 'money',
    what: 'Percent by which a payment may be too small and settles all the same: 0, at most 50.',
    why: 'Customers whose wallets deduct the fee from what they send need it; you lose the difference.',
  },

  'WALLET_LEAST_<CHAIN>': {
    part: 'payouts',
    what: 'Coins in the wallet below which new withdrawals wait. None by default.',
    why: 'It keeps what writing needs, and tells you when to refill from an offline wallet.',
  },
  'WALLET_MOST_<CHAIN>': {
    part: 'payouts',
    what: 'Coins in the wallet above which `GET /v0/operate/health` tells you to sweep. None by default.',
    why: 'It is what you can bear to lose with the node.',
  },
  'PAYOUT_PER_HOUR_<CHAIN>': {
    part: 'payouts',
    what: 'Coins that are paid out in an hour without approval, to all accounts together and, after a comma, to one: 5,0.5 or ,0.5. A withdrawal above it is held until an operator approves it. No limit by default.',
    why: 'It is what you can bear to lose with an account, or with all of them, until somebody looks.',
  },
  'PAYOUT_PER_DAY_<CHAIN>': {
    part: 'payouts',
    what: 'The same for a day.',
    why: 'A theft that stays below the limit of an hour ends at that of a day.',
  },

  IPFS_ROUTERS: {
    part: 'ipfs',
    what: 'Delegated routers, which resolve IPNS names. Without them only DNSLink works.',
    why: 'Set it where IPNS is to work; they see the names that are asked for.',
  },
  PATH_REDIRECT: {
    part: 'ipfs',
    what: '`true` redirects /ipfs/… on STORAGE_HOST to the host of the CID, where each site has an origin of its own.',
    why: 'Sites of strangers then share no storage; without it the paths answer 200, as clients that follow no redirect need.',
  },

  MAX_CONTENT_BYTES: {
    part: 'limits',
    what: 'Bytes of content on a chain as it is stored: 16777216.',
    why: 'Larger content takes more of the memory of an isolate, less is refused earlier.',
  },
  MAX_DECODED_BYTES: {
    part: 'limits',
    what: 'Bytes of content on a chain after decoding: 33554432.',
    why: 'As MAX_CONTENT_BYTES: both have to fit the memory together.',
  },
  MAX_ITEM_BYTES: {
    part: 'limits',
    what: 'Bytes of an item on IPFS: 1073741824.',
    why: 'Your customers may have larger files; above 4 GiB a merge needs more `cpu_ms`.',
  },
  QUOTA_FIRST_ITEMS: {
    part: 'limits',
    what: 'Unpaid items of an account that never paid: 2000.',
    why: 'Raise it where you know who signs up, lower it where anybody may.',
  },
  QUOTA_FIRST_BYTES: {
    part: 'limits',
    what: 'Bytes of unpaid items of an account that was credited nothing in 90 days: 100000000.',
    why: 'Raise it where you know who signs up, lower it where anybody may.',
  },
  BUDGET_UNPAID_BYTES: {
    part: 'limits',
    what: 'Bytes of unpaid items of all accounts together: 1099511627776. The oldest of who never paid give way.',
    why: 'You pay for the bucket: a tebibyte is some 15 dollars a month.',
  },
  CACHE_BYTES_PER_HOUR: {
    part: 'limits',
    what: 'Bytes that each of the two caches that readers fill takes in an hour: 1073741824. They stay 30 days.',
    why: 'You pay for the bucket: the default is at most 720 GiB a cache; 0 keeps nothing.',
  },

  IDENTITY_CHECK: {
    part: 'accounts',
    what: '`manual`: a new user can log in only after an administrator has set `PUT /v0/user/<id>/identity {"verified": true}`. By default `off`.',
    why: 'Where the law, or you, want to know the customers.',
  },
  CONSOLE_ORIGINS: {
    part: 'accounts',
    what: 'Origins beside the API host whose pages may call accounts, items and payments (CORS). None by default.',
    why: 'For an application of your own on another host.',
  },
  CONSOLE_LETTER: {
    part: 'accounts',
    what: "A text on a chain that the console's sign-in page shows, verified in the browser: `Bitcoin:<txid>,<txid>…`, at most 100.",
    why: 'It is what you have to say to who comes.',
  },
  HELP_URL: {
    part: 'accounts',
    what: "A page in place of the console's own help, /console/help.",
    why: 'Where you answer questions of your users yourself.',
  },
  TERMS_URL: { part: 'accounts', what: "A link in the console's footer.", why: 'Your terms are a page of yours.' },
  PRIVACY_URL: { part: 'accounts', what: "A link in the console's footer.", why: 'Your policy is a page of yours.' },
  CONTACT_URL: {
    part: 'accounts',
    what: "A link in the console's footer, or mailto:.",
    why: 'It is where you can be reached.',
  },
  SECURITY_CONTACT: {
    part: 'accounts',
    what: 'Whom to tell of a weakness, at /.well-known/security.txt: mailto:, https: or tel: addresses between commas.',
    why: 'It is you who mends it; without it the file is a 404.',
  },
  SECURITY_POLICY: {
    part: 'accounts',
    what: 'A page for that file that says how to report.',
    why: 'Where you pay for reports, or want them in a form.',
  },
  DENYLIST_URL: {
    part: 'accounts',
    what: 'A denylist of others that is followed, in the compact format of IPFS gateways (IPIP-383). None by default.',
    why: 'It spares you to find what others found, and lets them decide what you serve.',
  },

  ALERT_WEBHOOK: {
    part: 'alerts',
    what: 'A URL that is sent what needs an operator, once when it is raised and once when it is over, as JSON that Slack, Mattermost and Discord show. None by default. It is secret.',
    why: 'It reaches you in seconds, also while mail or the database is down.',
  },
  OPERATOR_MAIL: {
    part: 'alerts',
    what: 'A mail address that is told the same. None by default.',
    why: 'Choose a mailbox of another provider than MAIL_URL, which somebody reads.',
  },
  HEARTBEAT_URL: {
    part: 'alerts',
    what: 'A URL that is requested after each minute in which all jobs ended well. None by default. It is secret.',
    why: 'A monitor elsewhere, such as Healthchecks, then notices that this service stands still, which it cannot tell itself.',
  },
  METRICS_TOKEN: {
    part: 'alerts',
    what: 'The bearer token that reads `GET /metrics` and `GET /v0/operate/health`. Without it /metrics is a 404. It is secret.',
    why: 'Where Prometheus, or a monitor of yours, watches this service.',
    made: `node -e 'console.log(crypto.randomBytes(32).toString("base64url"))'`,
  },
  STORAGE_ZONE: {
    part: 'domains',
    what: 'The Cloudflare zone that STORAGE_HOST is in, by default that host.',
    why: 'Needed where it is a name inside a zone.',
  },
  STORAGE_ZONE_SHARED: {
    part: 'domains',
    what: '`true`: that zone has other hosts, all of which the Worker then answers where domains of users are on.',
    why: 'It says that you know; a deployment is refused without it.',
  },
  RESERVED_NAMES: {
    part: 'domains',
    what: 'Names, with commas between them, that no site gets as its address below STORAGE_HOST, nor one that looks like them, beside those that are always reserved. None by default.',
    why: 'Your trade marks, and what you may serve on that domain yourself, are not to be of a stranger.',
  },
  DOH_URL: {
    part: 'domains',
    what: "The DNS resolver (application/dns-json), by default Cloudflare's.",
    why: 'It sees the domains of your users: choose whom you trust.',
  },
  CF_API_TOKEN: {
    part: 'domains',
    what: 'A token for "SSL and Certificates: Edit" on the zone of STORAGE_HOST.',
    why: 'With it and CF_ZONE_ID domains of users are on; Cloudflare bills them from a hundred on.',
  },
  CF_ZONE_ID: {
    part: 'domains',
    what: 'The id of that zone.',
    why: 'With it and CF_API_TOKEN domains of users are on.',
  },
  WORKER_NAME: {
    part: 'names',
    what: 'The name of the Worker, which never changes once it is deployed: hookline.',
    why: 'A second environment of the account needs another.',
    example: 'hookline',
  },
  D1_NAME: {
    part: 'names',
    what: 'The name of the D1 database, which is made when it does not exist: hookline.',
    why: 'A second environment of the account needs another.',
    example: 'hookline',
  },
  R2_NAME: {
    part: 'names',
    what: 'The name of the R2 bucket, which is made when it does not exist: hookline.',
    why: 'A second environment of the account needs another.',
    example: 'hookline',
  },
  D1_LOCATION: {
    part: 'names',
    what: 'Where a new database is: weur, eeur, apac, oc, wnam or enam. By default near to this machine.',
    why: 'It belongs near to your nodes and customers, or where a law wants it.',
  },

  TRUST_FORWARDED_HOST: {
    part: 'local',
    what: '`true`: host and protocol of a request are read from the `X-Forwarded-…` headers of a proxy.',
    why: 'For workerd behind a proxy of yours. On Cloudflare any client can send them, so it is refused there.',
  },
  FRONT_KEY: {
    part: 'local',
    what: 'A key of 32 bytes or more in base64url by which that proxy signs the addresses of clients.',
    why: 'For workerd behind a proxy of yours: limits then count each client.',
  },
  WEBHOOK_LOOPBACK: {
    part: 'local',
    what: '`true` lets webhooks go to this machine.',
    why: 'For writing a receiver; refused by a deployment.',
  },
  CONSOLE_OUTBOX: {
    part: 'local',
    what: 'Where mails can be read without a provider; `npm start` sets it.',
    why: 'For trying things out; refused by a deployment, since everybody could read them.',
  },
  CONSOLE_FAUCET: {
    part: 'local',
    what: 'A page that pays from the wallets of embedded chains by `?blockchain=&address=&amount=`; `npm start` sets it.',
    why: 'For trying things out; refused by a deployment.',
  },
}

/** Every setting of the Worker and of its deployment. */
export const SETTINGS: ReadonlyMap<string, Setting> = new Map([
  ...Object.entries(OWN_SETTINGS),
  ...QUOTA_NAMES.flatMap((quota): [string, Setting][] => {
    const name = quotaSetting(quota)
    const what = `Of an account: ${QUOTAS[quota]}.`
    const why = 'Raise it where you know who signs up or what they cost you, lower it where anybody may.'
    return name ? [[name, { part: 'limits', what, why }]] : []
  }),
])
