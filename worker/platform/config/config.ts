import type { QuotaName } from '../../../contract/quotas.ts'
import { BLOCKCHAINS, type Blockchain, CHAINS, eachChain } from '../../../protocol/chains.ts'
import { memoryProblem } from './check-memory.ts'
import { CONSOLIDATE_TIMES, FIXED_BUDGETS, FIXED_LIMITS, MIN_DEPOSIT_TIMES } from './fixed-limits.ts'
import {
  type ConfirmationStep,
  integer,
  isHttpUrl,
  matching,
  oneOf,
  parseBlockHash,
  parseChains,
  parseCoins,
  parseConfirmationSteps,
  parseContact,
  parseContacts,
  parseEndpoints,
  parseFrontKey,
  parseHost,
  parseLabels,
  parseLetter,
  parseLines,
  parseList,
  parseOrigin,
  parsePayoutLimit,
  parsePrice,
  parseUrl,
  parseUrls,
  type RpcEndpoint,
  required,
} from './parse-setting.ts'
import { type PasswordPeppers, parsePeppers } from './password-peppers.ts'
import { QUOTA_SETTINGS, type QuotaSetting, readQuotaLimits } from './quota-limits.ts'
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
  'PAYOUT_PER_HOUR',
  'PAYOUT_PER_DAY',
] as const
export type ChainSetting = (typeof CHAIN_SETTINGS)[number]
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
  'PRICE_URL',
  'SELLER',
  'IPFS_GATEWAYS',
  'IPFS_ROUTERS',
  'IPFS_PAYMENT_CHAIN',
  'PATH_REDIRECT',
  'TRUST_FORWARDED_HOST',
  'FRONT_KEY',
  'DOH_URL',
  'MAIL_URL',
  'MAIL_TOKEN',
  'MAIL_FROM',
  'DENYLIST_URL',
  'RESERVED_NAMES',
  'SECURITY_CONTACT',
  'SECURITY_POLICY',
  'IDENTITY_CHECK',
  'WEBHOOK_LOOPBACK',
  'CONSOLE_ORIGINS',
  'CONSOLE_LETTER',
  'HELP_URL',
  'TERMS_URL',
  'PRIVACY_URL',
  'CONTACT_URL',
  'CONSOLE_FAUCET',
  'CONSOLE_OUTBOX',
  'WRITER_TX_CHAINS',
  'INSCRIPTIONS',
  'MAX_CONTENT_BYTES',
  'MAX_DECODED_BYTES',
  'MAX_ITEM_BYTES',
  'PAYMENT_EXPIRY_SECONDS',
  'PAYMENT_TOLERANCE_PERCENT',
  'QUOTA_FIRST_ITEMS',
  'QUOTA_FIRST_BYTES',
  'BUDGET_UNPAID_BYTES',
  'CACHE_BYTES_PER_HOUR',
  'CF_API_TOKEN',
  'CF_ZONE_ID',
  'ALERT_WEBHOOK',
  'OPERATOR_MAIL',
  'HEARTBEAT_URL',
  'METRICS_TOKEN',
] as const

export type ServiceVariable = (typeof SERVICE_VARIABLES)[number] | QuotaSetting
export type Variable = ChainVariable | ServiceVariable

/** Every variable and secret that the Worker reads, all of them text. */
export const VARIABLES: readonly Variable[] = [
  ...SERVICE_VARIABLES,
  ...QUOTA_SETTINGS,
  ...CHAIN_SETTINGS.flatMap((setting) => BLOCKCHAINS.map((blockchain) => chainVariable(setting, blockchain))),
]

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

/** The configuration, checked, with the limits that no setting changes; sizes in bytes. */
export interface Config extends Readonly<typeof FIXED_LIMITS> {
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
  }
  pathRedirect: boolean
  trustForwardedHost: boolean
  /** The key by which a proxy in front of this service signs the addresses of clients. */
  frontKey: Uint8Array | undefined
  dohUrl: string | undefined
  mail: { url: string; token: string; from: string } | undefined
  /** A compact denylist (IPIP-383) that is followed. */
  denylistUrl: string | undefined
  /** Labels below the storage host that no site gets as its address, beside those that are always reserved. */
  reservedNames: string[]
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
    help: string | undefined
    terms: string | undefined
    privacy: string | undefined
    contact: string | undefined
  }
  maxTxChains: number
  /** The chains of which inscriptions, doginals and stamps are read. */
  inscriptions: Blockchain[]
  maxContentBytes: number
  maxDecodedBytes: number
  maxItemBytes: number
  /** Where what coins are worth in other currencies is asked for. */
  priceUrl: string | undefined
  /** Who sells, as receipts name it: lines. */
  seller: string[]
  paymentExpirySeconds: number
  /** How much of its amount a payment request may lack, in percent. */
  paymentTolerancePercent: number
  quotas: Record<QuotaName, number>
  /** Of an account: unpaid items while it never paid, and the bytes of unpaid items that it may have without having paid. */
  beforePayment: { items: number; bytes: number }
  /** What all accounts together may have. */
  budgets: Readonly<typeof FIXED_BUDGETS> & { unpaidBytes: number }
  /** Bytes that each cache in the bucket takes in an hour: strangers fill them. */
  cacheBytesPerHour: number
  cloudflare: { apiToken: string; zoneId: string } | undefined
  /** Who is told what needs an operator, and what is requested after each minute in which all jobs ended well. */
  alerts: { webhook: string | undefined; mail: string | undefined; heartbeat: string | undefined }
  /** What reads `/metrics` and the health for operators. */
  metricsToken: string | undefined
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
    const hour = attempt(name('PAYOUT_PER_HOUR'), parsePayoutLimit)
    const day = attempt(name('PAYOUT_PER_DAY'), parsePayoutLimit)
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
      consolidateBelow: CONSOLIDATE_TIMES * facts.relayFeeRate,
      minDeposit: MIN_DEPOSIT_TIMES * facts.dust,
      payoutLimits: {
        hour: hour?.all,
        day: day?.all,
        accountHour: hour?.account,
        accountDay: day?.account,
      },
    }
  })
  const config = {
    ...FIXED_LIMITS,
    chains,
    ipfs: {
      gateways: attempt('IPFS_GATEWAYS', parseUrls) ?? [],
      routers: attempt('IPFS_ROUTERS', parseUrls) ?? [],
      paymentChain: attempt('IPFS_PAYMENT_CHAIN', oneOf(BLOCKCHAINS, 'Nativecoin')) ?? 'Nativecoin',
      pricePerKib: attempt('PRICE_PER_KIB_IPFS', parsePrice) ?? 0n,
    },
    pathRedirect: attempt('PATH_REDIRECT', oneOf(['true', 'false'], 'false')) === 'true',
    trustForwardedHost: attempt('TRUST_FORWARDED_HOST', oneOf(['true', 'false'], 'false')) === 'true',
    frontKey: attempt('FRONT_KEY', parseFrontKey),
    dohUrl: attempt('DOH_URL', optionalUrl),
    mail: checkMail(env, problems),
    denylistUrl: attempt('DENYLIST_URL', optionalUrl),
    reservedNames: attempt('RESERVED_NAMES', parseLabels) ?? [],
    security: checkSecurity(attempt('SECURITY_CONTACT', parseContacts), attempt('SECURITY_POLICY', optionalUrl)),
    identityCheck: attempt('IDENTITY_CHECK', oneOf(['off', 'manual'], 'off')) ?? 'off',
    webhookLoopback: attempt('WEBHOOK_LOOPBACK', oneOf(['true', 'false'], 'false')) === 'true',
    console: {
      letter: attempt('CONSOLE_LETTER', parseLetter),
      outbox: attempt('CONSOLE_OUTBOX', optionalUrl),
      faucet: attempt('CONSOLE_FAUCET', optionalUrl),
      help: attempt('HELP_URL', optionalUrl),
      terms: attempt('TERMS_URL', optionalUrl),
      privacy: attempt('PRIVACY_URL', optionalUrl),
      contact: attempt('CONTACT_URL', parseContact),
    },
    consoleOrigins: attempt('CONSOLE_ORIGINS', (text) => parseList(text).map((item) => parseOrigin(item).origin)) ?? [],
    maxTxChains: attempt('WRITER_TX_CHAINS', integer(1, 100, 8)) ?? 8,
    inscriptions: attempt('INSCRIPTIONS', parseChains) ?? [],
    maxContentBytes: attempt('MAX_CONTENT_BYTES', integer(1, 64 << 20, 16 << 20)) ?? 0,
    maxDecodedBytes: attempt('MAX_DECODED_BYTES', integer(1, 96 << 20, 32 << 20)) ?? 0,
    maxItemBytes: attempt('MAX_ITEM_BYTES', integer(1, 2 ** 40, 2 ** 30)) ?? 0,
    quotas: readQuotaLimits(attempt),
    beforePayment: {
      items: attempt('QUOTA_FIRST_ITEMS', integer(1, 1_000_000, 2_000)) ?? 0,
      bytes: attempt('QUOTA_FIRST_BYTES', integer(1, 2 ** 45, 100_000_000)) ?? 0,
    },
    budgets: {
      ...FIXED_BUDGETS,
      unpaidBytes: attempt('BUDGET_UNPAID_BYTES', integer(1, 2 ** 50, 2 ** 40)) ?? 0,
    },
    cacheBytesPerHour: attempt('CACHE_BYTES_PER_HOUR', integer(0, 2 ** 40, 2 ** 30)) ?? 0,
    priceUrl: attempt('PRICE_URL', optionalUrl),
    seller: attempt('SELLER', parseLines) ?? [],
    paymentExpirySeconds: attempt('PAYMENT_EXPIRY_SECONDS', integer(1, 31_536_000, 3600)) ?? 0,
    paymentTolerancePercent: attempt('PAYMENT_TOLERANCE_PERCENT', integer(0, 50, 0)) ?? 0,
    cloudflare: env.CF_API_TOKEN && env.CF_ZONE_ID ? { apiToken: env.CF_API_TOKEN, zoneId: env.CF_ZONE_ID } : undefined,
    alerts: {
      webhook: attempt('ALERT_WEBHOOK', optionalUrl),
      mail: attempt('OPERATOR_MAIL', matching(/^[^\s@,<>]+@[^\s@,<>]+$/, 'is no mail address')),
      heartbeat: attempt('HEARTBEAT_URL', optionalUrl),
    },
    metricsToken: attempt('METRICS_TOKEN', matching(/^[\w-]{32,}$/, 'is not 32 or more of A-Z, a-z, 0-9, "_" and "-"')),
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
