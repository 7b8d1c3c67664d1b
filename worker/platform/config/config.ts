import { BLOCKCHAINS, type Blockchain, CHAINS, eachChain } from '../../../protocol/chains.ts'
import { memoryProblem } from './check-memory.ts'
import {
  type ConfirmationStep,
  feeRate,
  integer,
  isHttpUrl,
  leastCoins,
  oneOf,
  parseBlockHash,
  parseCoins,
  parseConfirmationSteps,
  parseContact,
  parseContacts,
  parseEndpoints,
  parseFrontKey,
  parseHost,
  parseLetter,
  parseList,
  parseOrigin,
  parsePrice,
  parseUrl,
  parseUrls,
  type RpcEndpoint,
  required,
} from './parse-setting.ts'
import { type PasswordPeppers, parsePeppers } from './password-peppers.ts'
import { parseTokenKeys, type TokenKey } from './token-keys.ts'

/** Settings that exist once for each chain, such as `RPC_BITCOIN`. */
const CHAIN_SETTINGS = [
  'RPC',
  'RPC_WALLET',
  'GENESIS',
  'CONFIRMATIONS',
  'CONFIRMATIONS_ABOVE',
  'MAX_DATA_BYTES',
  'PRICE_PER_KIB',
  'BLOCK_SECONDS',
  'WALLET_LEAST',
  'WALLET_MOST',
  'CONSOLIDATE_BELOW',
  'MIN_DEPOSIT',
] as const
/** Settings that limit all accounts together; with `_ACCOUNT` behind the chain they limit each account. */
const PAYOUT_SETTINGS = ['PAYOUT_PER_HOUR', 'PAYOUT_PER_DAY'] as const
type PayoutVariable = `${(typeof PAYOUT_SETTINGS)[number]}_${Uppercase<Blockchain>}${'' | '_ACCOUNT'}`
type ChainSetting = (typeof CHAIN_SETTINGS)[number]
type ChainVariable = `${ChainSetting}_${Uppercase<Blockchain>}`

/** The name of a chain's setting. */
export function chainVariable(setting: ChainSetting, blockchain: Blockchain): ChainVariable {
  return `${setting}_${CHAINS[blockchain].settingSuffix}`
}

const SERVICE_VARIABLES = [
  'BASE_URL',
  'STORAGE_HOST',
  'TOKEN_JWKS',
  'PASSWORD_PEPPER',
  'PRICE_PER_KIB_IPFS',
  'IPFS_GATEWAYS',
  'IPFS_ROUTERS',
  'IPFS_PAYMENT_CHAIN',
  'IPFS_MAX_WORK',
  'IPFS_MAX_RESPONSE_BYTES',
  'PATH_REDIRECT',
  'TRUST_FORWARDED_HOST',
  'FRONT_KEY',
  'DOH_URL',
  'MAIL_URL',
  'MAIL_TOKEN',
  'MAIL_FROM',
  'DENYLIST_URL',
  'SECURITY_CONTACT',
  'SECURITY_POLICY',
  'IDENTITY_CHECK',
  'WEBHOOK_LOOPBACK',
  'CONSOLE_ORIGINS',
  'CONSOLE_LETTER',
  'TERMS_URL',
  'PRIVACY_URL',
  'CONTACT_URL',
  'CONSOLE_FAUCET',
  'CONSOLE_OUTBOX',
  'WRITER_TX_CHAINS',
  'MAX_CONTENT_BYTES',
  'MAX_DECODED_BYTES',
  'MAX_ITEM_BYTES',
  'PAYMENT_EXPIRY_SECONDS',
  'PAYMENT_GRACE_SECONDS',
  'PAYMENT_TOLERANCE_PERCENT',
  'FEE_CEILING_PERCENT',
  'NOT_MOVED_BLOCKS',
  'FOLD_BLOCKS',
  'DATABASE_BYTES',
  'WITHDRAWAL_INPUTS',
  'QUOTA_UNPAID_ITEMS',
  'QUOTA_UNPAID_BYTES',
  'QUOTA_FIRST_ITEMS',
  'QUOTA_FIRST_BYTES',
  'BUDGET_UNPAID_ITEMS',
  'BUDGET_UNPAID_BYTES',
  'BUDGET_PENDING_ACCOUNTS',
  'BUDGET_SESSIONS',
  'QUOTA_MERGES',
  'QUOTA_FOLDERS',
  'QUOTA_DOMAINS',
  'QUOTA_SITES',
  'QUOTA_UNUSED_ADDRESSES',
  'QUOTA_KEYS',
  'CHAIN_CACHE_BYTES_PER_HOUR',
  'CHAIN_CACHE_DAYS',
  'IPFS_CACHE_BYTES_PER_HOUR',
  'IPFS_CACHE_DAYS',
  'CF_API_TOKEN',
  'CF_ZONE_ID',
] as const

export type Variable = ChainVariable | PayoutVariable | (typeof SERVICE_VARIABLES)[number]

/** Every variable and secret that the Worker reads, all of them text. */
export const VARIABLES: readonly Variable[] = [
  ...SERVICE_VARIABLES,
  ...CHAIN_SETTINGS.flatMap((setting) => BLOCKCHAINS.map((blockchain) => chainVariable(setting, blockchain))),
  ...PAYOUT_SETTINGS.flatMap((setting) =>
    BLOCKCHAINS.flatMap((blockchain) => {
      const variable = `${setting}_${CHAINS[blockchain].settingSuffix}` as const
      return [variable, `${variable}_ACCOUNT`] as const
    }),
  ),
]

/** The default of CONSOLIDATE_BELOW: this many times the relay fee rate of the chain. */
const CONSOLIDATE_TIMES = 5n
/** The default of MIN_DEPOSIT: this many times the dust limit of the chain. */
const MIN_DEPOSIT_TIMES = 10n
/** What may be paid out of a chain without an operator, in base units; `undefined`: no such limit. */
export interface PayoutLimits {
  hour: bigint | undefined
  day: bigint | undefined
  /** Of one account. */
  accountHour: bigint | undefined
  accountDay: bigint | undefined
}

export interface ChainConfig {
  /** Empty where the operator runs no node of this chain. The first one has the wallet. */
  rpc: RpcEndpoint[]
  wallet: string | undefined
  /** Hash of block 0; `undefined`: that of the first node seen. */
  genesis: string | undefined
  confirmations: number
  /** From how many base units on, the sum that a transaction pays needs more confirmations; ascending. */
  confirmationsAbove: ConfirmationStep[]
  maxDataBytes: number
  /** Usual seconds between two blocks. */
  blockSeconds: number
  /** Base units for each KiB stored, on top of the network's fees. */
  pricePerKib: bigint
  /** Base units below which new withdrawals wait, and above which the wallet is reported; `undefined`: no such limit. */
  walletLeast: bigint | undefined
  walletMost: bigint | undefined
  /** The fee rate below which coins of the wallet are consolidated, base units per 1,000 vbytes. */
  consolidateBelow: bigint
  /** Deposits of an account whose sum is less remain pending, base units. */
  minDeposit: bigint
  payoutLimits: PayoutLimits
}

/** A cache in the bucket that strangers fill: what was read from chains, or blocks from gateways. */
export type CacheName = 'chain' | 'ipfs'

/** What an account may have at most; stored items are not counted. */
export type QuotaName =
  | 'unpaidItems'
  | 'unpaidBytes'
  | 'merges'
  | 'folders'
  | 'domains'
  | 'sites'
  | 'unusedAddresses'
  | 'keys'

/** The configuration, checked; sizes in bytes. */
export interface Config {
  baseUrl: URL
  /** Host and port of the storage apex, lower-cased. */
  storageHost: string
  tokenKeys: TokenKey[]
  passwordPeppers: PasswordPeppers
  chains: Record<Blockchain, ChainConfig>
  ipfs: {
    gateways: string[]
    routers: string[]
    paymentChain: Blockchain
    pricePerKib: bigint
    /** Blocks of up to 1 KiB of links that a request may cost beside those that its bytes account for. */
    maxWork: number
    /** Bytes that one answer may have. */
    maxResponseBytes: number
  }
  pathRedirect: boolean
  trustForwardedHost: boolean
  /** The key by which a proxy in front of this service signs the addresses of clients. */
  frontKey: Uint8Array | undefined
  dohUrl: string | undefined
  mail: { url: string; token: string; from: string } | undefined
  /** A compact denylist (IPIP-383) that is followed. */
  denylistUrl: string | undefined
  /** Where to report a weakness (RFC 9116): URIs, and the address of a page that explains how. */
  security: { contacts: string[]; policy: string | undefined } | undefined
  identityCheck: 'off' | 'manual'
  /** Whether webhooks may be on this machine, for the development of a receiver. */
  webhookLoopback: boolean
  consoleOrigins: string[]
  /** The letter on the console's sign-in page, outbox and faucet of embedded chains, and the links of its footer. */
  console: {
    letter: { blockchain: Blockchain; txids: string[] } | undefined
    outbox: string | undefined
    faucet: string | undefined
    terms: string | undefined
    privacy: string | undefined
    contact: string | undefined
  }
  maxTxChains: number
  maxContentBytes: number
  maxDecodedBytes: number
  maxItemBytes: number
  paymentExpirySeconds: number
  /** How long after its expiry a request waits for the confirmation of money that was seen in time. */
  paymentGraceSeconds: number
  /** How much of its amount a payment request may lack, in percent. */
  paymentTolerancePercent: number
  quotas: Record<QuotaName, number>
  /** Of an account: unpaid items while it never paid, and the bytes of unpaid items that it may have without having paid. */
  beforePayment: { items: number; bytes: number }
  /** What all accounts together may have. */
  budgets: { unpaidItems: number; unpaidBytes: number; pendingAccounts: number; sessions: number }
  /** The part of the bucket that strangers may fill: bytes admitted an hour, and days until an object is deleted. */
  caches: Record<CacheName, { bytesPerHour: number; days: number }>
  /** A write waits while the network's fee rate is above so much of the one that its price was made with. */
  feeCeilingPercent: number
  /** Blocks after which operators are notified of an item or withdrawal that makes no progress. */
  notMovedBlocks: number
  /** Blocks that have to follow the last transaction of a stored item before its transactions are folded. */
  foldBlocks: number
  /** Bytes that the database may have. */
  databaseBytes: number
  /** The most coins that a withdrawal spends; its fee is calculated for so many. */
  withdrawalInputs: number
  cloudflare: { apiToken: string; zoneId: string } | undefined
}

/** The configuration cannot be used; `problems` is for the operator's log, never for an answer. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError'
  readonly problems: string[]

  constructor(problems: string[]) {
    super(`The configuration is not usable: ${problems.join('; ')}`)
    this.problems = problems
  }
}

/** Parses every variable; pure, so that `npm run deploy` refuses what the Worker would refuse. */
export function checkConfig(env: Partial<Record<Variable, string>>): Config | ConfigurationError {
  const problems: string[] = []
  const attempt = <T>(name: Variable, parse: (text: string | undefined) => T): T | undefined => {
    try {
      return parse(env[name] === '' ? undefined : env[name])
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : 'is wrong'}`)
      return undefined
    }
  }
  const baseUrl = attempt('BASE_URL', (text) => parseOrigin(required(text)))
  const storageHost = attempt('STORAGE_HOST', (text) => parseHost(required(text)))
  const tokenKeys = attempt('TOKEN_JWKS', (text) => parseTokenKeys(required(text)))
  const passwordPeppers = attempt('PASSWORD_PEPPER', parsePeppers)
  const chains = eachChain((blockchain): ChainConfig => {
    const facts = CHAINS[blockchain]
    const name = (setting: ChainSetting) => chainVariable(setting, blockchain)
    return {
      rpc: attempt(name('RPC'), parseEndpoints) ?? [],
      wallet: env[name('RPC_WALLET')] || undefined,
      genesis: attempt(name('GENESIS'), parseBlockHash),
      confirmations: attempt(name('CONFIRMATIONS'), integer(1, 1000, facts.confirmations)) ?? 1,
      confirmationsAbove: attempt(name('CONFIRMATIONS_ABOVE'), parseConfirmationSteps) ?? [],
      maxDataBytes: attempt(name('MAX_DATA_BYTES'), integer(1, 3_900_000, facts.maxDataBytes)) ?? 1,
      blockSeconds: attempt(name('BLOCK_SECONDS'), integer(1, 86_400, facts.blockSeconds)) ?? 1,
      pricePerKib: attempt(name('PRICE_PER_KIB'), parsePrice) ?? 0n,
      walletLeast: attempt(name('WALLET_LEAST'), parseCoins),
      walletMost: attempt(name('WALLET_MOST'), parseCoins),
      consolidateBelow: attempt(name('CONSOLIDATE_BELOW'), feeRate(CONSOLIDATE_TIMES * facts.relayFeeRate)) ?? 0n,
      minDeposit: attempt(name('MIN_DEPOSIT'), leastCoins(MIN_DEPOSIT_TIMES * facts.dust)) ?? 0n,
      payoutLimits: {
        hour: attempt(`PAYOUT_PER_HOUR_${facts.settingSuffix}`, parseCoins),
        day: attempt(`PAYOUT_PER_DAY_${facts.settingSuffix}`, parseCoins),
        accountHour: attempt(`PAYOUT_PER_HOUR_${facts.settingSuffix}_ACCOUNT`, parseCoins),
        accountDay: attempt(`PAYOUT_PER_DAY_${facts.settingSuffix}_ACCOUNT`, parseCoins),
      },
    }
  })
  const cache = (name: Uppercase<CacheName>) => ({
    bytesPerHour: attempt(`${name}_CACHE_BYTES_PER_HOUR`, integer(0, 2 ** 40, 2 ** 30)) ?? 0,
    days: attempt(`${name}_CACHE_DAYS`, integer(1, 3650, 30)) ?? 1,
  })
  const config = {
    chains,
    ipfs: {
      gateways: attempt('IPFS_GATEWAYS', parseUrls) ?? [],
      routers: attempt('IPFS_ROUTERS', parseUrls) ?? [],
      paymentChain: attempt('IPFS_PAYMENT_CHAIN', oneOf(BLOCKCHAINS, 'Nativecoin')) ?? 'Nativecoin',
      pricePerKib: attempt('PRICE_PER_KIB_IPFS', parsePrice) ?? 0n,
      maxWork: attempt('IPFS_MAX_WORK', integer(1024, 2 ** 20, 2 ** 14)) ?? 0,
      maxResponseBytes: attempt('IPFS_MAX_RESPONSE_BYTES', integer(2 ** 20, 2 ** 40, 5 * 2 ** 30)) ?? 0,
    },
    pathRedirect: attempt('PATH_REDIRECT', oneOf(['true', 'false'], 'false')) === 'true',
    trustForwardedHost: attempt('TRUST_FORWARDED_HOST', oneOf(['true', 'false'], 'false')) === 'true',
    frontKey: attempt('FRONT_KEY', parseFrontKey),
    dohUrl: attempt('DOH_URL', optionalUrl),
    mail: checkMail(env, problems),
    denylistUrl: attempt('DENYLIST_URL', optionalUrl),
    security: checkSecurity(attempt('SECURITY_CONTACT', parseContacts), attempt('SECURITY_POLICY', optionalUrl)),
    identityCheck: attempt('IDENTITY_CHECK', oneOf(['off', 'manual'], 'off')) ?? 'off',
    webhookLoopback: attempt('WEBHOOK_LOOPBACK', oneOf(['true', 'false'], 'false')) === 'true',
    console: {
      letter: attempt('CONSOLE_LETTER', parseLetter),
      outbox: attempt('CONSOLE_OUTBOX', optionalUrl),
      faucet: attempt('CONSOLE_FAUCET', optionalUrl),
      terms: attempt('TERMS_URL', optionalUrl),
      privacy: attempt('PRIVACY_URL', optionalUrl),
      contact: attempt('CONTACT_URL', parseContact),
    },
    consoleOrigins: attempt('CONSOLE_ORIGINS', (text) => parseList(text).map((item) => parseOrigin(item).origin)) ?? [],
    maxTxChains: attempt('WRITER_TX_CHAINS', integer(1, 100, 8)) ?? 8,
    maxContentBytes: attempt('MAX_CONTENT_BYTES', integer(1, 64 << 20, 16 << 20)) ?? 0,
    maxDecodedBytes: attempt('MAX_DECODED_BYTES', integer(1, 96 << 20, 32 << 20)) ?? 0,
    maxItemBytes: attempt('MAX_ITEM_BYTES', integer(1, 2 ** 40, 2 ** 30)) ?? 0,
    quotas: {
      unpaidItems: attempt('QUOTA_UNPAID_ITEMS', integer(1, 1_000_000, 20_000)) ?? 0,
      unpaidBytes: attempt('QUOTA_UNPAID_BYTES', integer(1, 2 ** 45, 10 * 2 ** 30)) ?? 0,
      merges: attempt('QUOTA_MERGES', integer(1, 1000, 4)) ?? 0,
      folders: attempt('QUOTA_FOLDERS', integer(1, 1_000_000, 10_000)) ?? 0,
      domains: attempt('QUOTA_DOMAINS', integer(0, 100_000, 20)) ?? 0,
      sites: attempt('QUOTA_SITES', integer(0, 100_000, 100)) ?? 0,
      unusedAddresses: attempt('QUOTA_UNUSED_ADDRESSES', integer(1, 100_000, 100)) ?? 0,
      keys: attempt('QUOTA_KEYS', integer(0, 1000, 20)) ?? 0,
    },
    beforePayment: {
      items: attempt('QUOTA_FIRST_ITEMS', integer(1, 1_000_000, 2_000)) ?? 0,
      bytes: attempt('QUOTA_FIRST_BYTES', integer(1, 2 ** 45, 100_000_000)) ?? 0,
    },
    budgets: {
      unpaidItems: attempt('BUDGET_UNPAID_ITEMS', integer(1, 10 ** 9, 1_000_000)) ?? 0,
      unpaidBytes: attempt('BUDGET_UNPAID_BYTES', integer(1, 2 ** 50, 2 ** 40)) ?? 0,
      pendingAccounts: attempt('BUDGET_PENDING_ACCOUNTS', integer(1, 10 ** 9, 100_000)) ?? 0,
      sessions: attempt('BUDGET_SESSIONS', integer(1, 10 ** 9, 1_000_000)) ?? 0,
    },
    caches: { chain: cache('CHAIN'), ipfs: cache('IPFS') },
    paymentExpirySeconds: attempt('PAYMENT_EXPIRY_SECONDS', integer(1, 31_536_000, 3600)) ?? 0,
    paymentGraceSeconds: attempt('PAYMENT_GRACE_SECONDS', integer(0, 31_536_000, 86_400)) ?? 0,
    paymentTolerancePercent: attempt('PAYMENT_TOLERANCE_PERCENT', integer(0, 50, 0)) ?? 0,
    withdrawalInputs: attempt('WITHDRAWAL_INPUTS', integer(1, 100, 4)) ?? 1,
    notMovedBlocks: attempt('NOT_MOVED_BLOCKS', integer(1, 100_000, 36)) ?? 1,
    databaseBytes: attempt('DATABASE_BYTES', integer(1_000_000, 2 ** 50, 10_000_000_000)) ?? 0,
    // At least the blocks that the follower stores.
    foldBlocks: attempt('FOLD_BLOCKS', integer(300, 1_000_000, 300)) ?? 300,
    feeCeilingPercent: attempt('FEE_CEILING_PERCENT', integer(100, 10_000, 200)) ?? 100,
    cloudflare: env.CF_API_TOKEN && env.CF_ZONE_ID ? { apiToken: env.CF_API_TOKEN, zoneId: env.CF_ZONE_ID } : undefined,
  }
  const memory = memoryProblem(config)
  if (memory !== undefined) problems.push(memory)
  if (problems.length > 0 || !baseUrl || !storageHost || !tokenKeys || !passwordPeppers) {
    return new ConfigurationError(problems)
  }
  return { baseUrl, storageHost, tokenKeys, passwordPeppers, ...config }
}

function checkMail(env: Partial<Record<Variable, string>>, problems: string[]): Config['mail'] {
  if (!env.MAIL_URL) return undefined
  if (!isHttpUrl(env.MAIL_URL)) problems.push('MAIL_URL is not an http(s) URL')
  if (!env.MAIL_FROM) problems.push('MAIL_FROM is missing: mail needs a sender')
  else if (!env.MAIL_FROM.includes('@')) problems.push('MAIL_FROM is no sender such as Hookline <no-reply@api.example>')
  return { url: env.MAIL_URL, token: env.MAIL_TOKEN ?? '', from: env.MAIL_FROM ?? '' }
}

function checkSecurity(contacts: string[] | undefined, policy: string | undefined): Config['security'] {
  return contacts === undefined || contacts.length === 0 ? undefined : { contacts, policy }
}

function optionalUrl(text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseUrl(text).href
}
