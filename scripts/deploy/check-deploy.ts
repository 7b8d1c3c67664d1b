import { getDomain } from 'tldts'
import { BLOCKCHAINS, CHAINS } from '../../protocol/chains.ts'
import {
  type Config,
  ConfigurationError,
  chainVariable,
  checkConfig,
  VARIABLES,
  type Variable,
} from '../../worker/platform/config/config.ts'
import { hostName } from '../../worker/platform/http/host-name.ts'
import { findDoubts, findMistakes, findMoneyMistakes } from './find-mistakes.ts'

/** Settings of the deployment itself; they are not passed to the Worker. */
export const DEPLOY_SETTINGS = [
  'STORAGE_ZONE',
  'STORAGE_ZONE_SHARED',
  'WORKER_NAME',
  'D1_NAME',
  'D1_LOCATION',
  'R2_NAME',
  'CLOUDFLARE_ACCOUNT_ID',
  'CLOUDFLARE_API_TOKEN',
] as const
export type DeploySetting = (typeof DEPLOY_SETTINGS)[number]

/** Where the chains' nodes are. */
export const NODES = BLOCKCHAINS.map((blockchain) => chainVariable('RPC', blockchain))

/** Variables that hold keys which this service makes up itself. */
export const SECRET_KEYS = ['TOKEN_JWKS', 'PASSWORD_PEPPER', 'FRONT_KEY'] as const

/** Variables that hold a password, a token or a key: they become secrets, never part of a file. */
export const SECRETS: readonly Variable[] = [
  ...SECRET_KEYS,
  ...NODES,
  ...(['MAIL_TOKEN', 'CF_API_TOKEN', 'METRICS_TOKEN', 'ALERT_WEBHOOK', 'HEARTBEAT_URL'] as const),
]

export interface DeployPlan {
  variables: Partial<Record<Variable, string>>
  settings: Partial<Record<DeploySetting, string>>
  /** What will not work, though everything else does. */
  warnings: string[]
}

const NEW_KEY = ': .env.production.example has the command that makes one'
/** Where D1 can be told to be (https://developers.cloudflare.com/d1/configuration/data-location/). */
const D1_LOCATIONS = ['weur', 'eeur', 'apac', 'oc', 'wnam', 'enam']
const DEFAULT_DOH_URL = 'https://cloudflare-dns.com/dns-query'

/**
 * The problems of a production configuration on Cloudflare: everything that the Worker would refuse, and what works
 * only locally. Pure; all problems are found at once.
 */
export function checkDeploy(given: Record<string, string | undefined>): DeployPlan | { problems: string[] } {
  const problems: string[] = []
  const known = new Set<string>([...VARIABLES, ...DEPLOY_SETTINGS])
  for (const name of Object.keys(given)) if (!known.has(name)) problems.push(`${name} is not a setting of this service`)

  const variables = pick(VARIABLES, given)
  variables.DOH_URL ??= DEFAULT_DOH_URL
  for (const { settingSuffix, genesis } of Object.values(CHAINS)) {
    if (genesis !== undefined && variables[`RPC_${settingSuffix}`]) variables[`GENESIS_${settingSuffix}`] ??= genesis
  }
  const config = checkConfig(variables)
  const refused = config instanceof ConfigurationError ? config.problems : []
  problems.push(...refused.map((problem) => (problem === 'TOKEN_JWKS is missing' ? problem + NEW_KEY : problem)))
  // One problem a setting: what cannot be read is not looked at any further.
  const isRefused = (problem: string) => refused.some((other) => nameIn(other) === nameIn(problem))
  problems.push(...checkPlatform(variables).filter((problem) => !isRefused(problem)))
  const settings = pick(DEPLOY_SETTINGS, given)
  problems.push(...checkZone(variables, settings), ...checkNames(settings))
  problems.push(...findMistakes(variables, settings).filter((problem) => !isRefused(problem)))
  if (!(config instanceof ConfigurationError)) {
    problems.push(...checkKeys(config), ...checkOrigins(config), ...findMoneyMistakes(config))
  }
  if (problems.length > 0 || config instanceof ConfigurationError) return { problems }
  return { variables, settings, warnings: [...findGaps(config), ...findDoubts(config, variables)] }
}

function pick<Name extends string>(names: readonly Name[], given: Record<string, string | undefined>) {
  const picked: Partial<Record<Name, string>> = {}
  for (const name of names) if (given[name]) picked[name] = given[name]
  return picked
}

/** The names of what a deployment makes, by Cloudflare's own rules for them. */
function checkNames({ WORKER_NAME, R2_NAME, D1_NAME, D1_LOCATION }: DeployPlan['settings']): string[] {
  const problems: string[] = []
  if (WORKER_NAME && !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(WORKER_NAME)) {
    problems.push('WORKER_NAME is not 1 to 63 of a-z, 0-9 and "-" with a letter or digit at both ends')
  }
  if (R2_NAME && !/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(R2_NAME)) {
    problems.push('R2_NAME is not 3 to 63 of a-z, 0-9 and "-" with a letter or digit at both ends')
  }
  if (D1_NAME && !/^[A-Za-z0-9_-]{1,64}$/.test(D1_NAME)) {
    problems.push('D1_NAME is not 1 to 64 letters, digits, "-" and "_"')
  }
  if (D1_LOCATION && !D1_LOCATIONS.includes(D1_LOCATION)) {
    problems.push(`D1_LOCATION is none of ${D1_LOCATIONS.join(', ')}`)
  }
  return problems
}

function nameIn(problem: string): string {
  return problem.split(' ', 1).join()
}

function checkKeys({ tokenKeys, passwordPeppers, frontKey }: Config): string[] {
  const isTokenKey = ({ secret }: { secret: Uint8Array }) =>
    tokenKeys.some((key) => Buffer.from(key.secret).equals(secret))
  const isGuessable = ({ secret }: { secret: Uint8Array }) => new Set(secret).size < 16
  return [
    ...(tokenKeys.some(isGuessable) ? ['TOKEN_JWKS has a key that is not random'] : []),
    ...(passwordPeppers.known.some(isGuessable) ? ['PASSWORD_PEPPER has a pepper that is not random'] : []),
    ...(passwordPeppers.known.some(isTokenKey)
      ? ['PASSWORD_PEPPER is a key of TOKEN_JWKS: who gets one of both has the other']
      : []),
    ...(frontKey && isGuessable({ secret: frontKey }) ? ['FRONT_KEY is not random: anyone could sign an address'] : []),
  ]
}

/** With custom hostnames the Worker answers every host of its zone, including other hosts in the same zone. */
function checkZone(variables: Partial<Record<Variable, string>>, settings: DeployPlan['settings']): string[] {
  const { STORAGE_ZONE: zone, STORAGE_ZONE_SHARED: shared } = settings
  if (!variables.CF_ZONE_ID || !zone || shared === 'true') return []
  if (zone.toLowerCase() === variables.STORAGE_HOST?.toLowerCase()) return []
  const problem = 'is not STORAGE_HOST, and with CF_ZONE_ID the Worker answers all hosts of that zone'
  return [`STORAGE_ZONE ${problem}. Use a zone of its own, or set STORAGE_ZONE_SHARED=true if that is intended`]
}

/** Origins that may use the API with a token: no page over plain http, and no untrusted page. */
function checkOrigins({ consoleOrigins, storageHost }: Config): string[] {
  const strangers = hostName(storageHost)
  return consoleOrigins.flatMap((origin) => {
    const { protocol, hostname } = new URL(origin)
    if (protocol !== 'https:') return [`CONSOLE_ORIGINS has ${origin}, which is not https: tokens could be read there`]
    const host = hostName(hostname)
    if (host !== strangers && !host.endsWith(`.${strangers}`)) return []
    return [`CONSOLE_ORIGINS has ${origin}, which serves untrusted pages: they could use the API`]
  })
}

/** Settings for local use only, and what they would do here. */
const OWN_MACHINE_ONLY = {
  TRUST_FORWARDED_HOST: 'on Cloudflare anyone can send that header',
  WEBHOOK_LOOPBACK: 'it is for local use with npm start only',
  CONSOLE_OUTBOX: 'everybody could read the mails',
  CONSOLE_FAUCET: 'it gives away coins of test chains',
} as const satisfies Partial<Record<Variable, string>>

/** Looks at each setting by itself, so that one that is missing hides nothing of the others. */
function checkPlatform(variables: Partial<Record<Variable, string>>): string[] {
  const problems: string[] = []
  const baseUrl = URL.parse(variables.BASE_URL ?? '')
  const storageHost = variables.STORAGE_HOST?.toLowerCase()
  if (baseUrl && baseUrl.protocol !== 'https:')
    problems.push('BASE_URL is not https: passwords and tokens would travel in the clear')
  for (const [name, host] of [['BASE_URL', baseUrl?.host] as const, ['STORAGE_HOST', storageHost] as const]) {
    if (host === undefined) continue
    const problem =
      hostProblem(host) ?? (/:\d+$/.test(host) ? 'has a port, which Cloudflare does not serve' : undefined)
    if (problem) problems.push(`${name} ${problem}`)
  }
  if (baseUrl && storageHost !== undefined && sharesSite(baseUrl.hostname, storageHost)) {
    problems.push(
      'STORAGE_HOST shares a site with BASE_URL: untrusted content could set cookies for the API. Use another domain',
    )
  }
  for (const name of [
    ...NODES,
    'IPFS_GATEWAYS',
    'IPFS_ROUTERS',
    'DOH_URL',
    'MAIL_URL',
    'ALERT_WEBHOOK',
    'HEARTBEAT_URL',
    'DENYLIST_URL',
  ] as const) {
    problems.push(...urlProblems(name, variables[name]))
  }
  if (variables.RPC_NATIVECOIN && !variables.GENESIS_NATIVECOIN) {
    problems.push("GENESIS_NATIVECOIN is missing: the hash of your chain's block 0 (getblockhash 0)")
  }
  for (const [name, reason] of Object.entries(OWN_MACHINE_ONLY)) {
    const value = Object.entries(variables).find(([variable]) => variable === name)?.[1]
    if (value && value !== 'false') problems.push(`${name} is set: ${reason}`)
  }
  if (!variables.MAIL_URL) problems.push('MAIL_URL is missing: nobody could verify an address or reset a password')
  else if (!variables.MAIL_TOKEN) problems.push('MAIL_TOKEN is missing: the mail provider would refuse every mail')
  if (Boolean(variables.CF_API_TOKEN) !== Boolean(variables.CF_ZONE_ID)) {
    problems.push('CF_API_TOKEN and CF_ZONE_ID belong together: one of them is missing')
  }
  return problems
}

/** What a Worker cannot fetch, and what it should not. The URL itself is not repeated: it may hold a password. */
function urlProblems(name: string, text = ''): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => URL.canParse(item))
    .flatMap((item, index) => {
      const { protocol, hostname } = new URL(item)
      const place = text.includes(',') ? ` (place ${index + 1})` : ''
      const problem = hostProblem(hostname)
      if (problem) return [`${name}${place} ${problem}`]
      return protocol === 'https:' ? [] : [`${name}${place} is not https: what is sent there could be read in transit`]
    })
}

function hostProblem(host: string): string | undefined {
  const name = host.replace(/:\d+$/, '')
  if (name.startsWith('[') || /^[\d.]+$/.test(name)) return 'is an IP address; Cloudflare reaches hosts by name only'
  if (/(?:^|\.)localhost$/.test(name)) return 'is this machine, which Cloudflare cannot reach'
  if (!name.includes('.') || /\.(?:local|internal|lan|home|test|invalid|example)$/.test(name)) {
    return `is a name that public DNS does not have: ${name}`
  }
  return undefined
}

/**
 * Whether both hosts have one registrable domain (https://publicsuffix.org, suffixes of companies counted), so that cookies
 * of one could reach the other. A host that has none, a suffix itself, shares a site with itself alone.
 */
function sharesSite(api: string, storage: string): boolean {
  const siteOf = (host: string) => getDomain(host, { allowPrivateDomains: true }) ?? hostName(host)
  return siteOf(api) === siteOf(storage)
}

function findGaps(config: Config): string[] {
  const gaps: string[] = []
  for (const chain of BLOCKCHAINS) {
    if (config.chains[chain].rpc.length > 0) continue
    gaps.push(`RPC_${chain.toUpperCase()} is not set: nothing is read from, stored on or paid with ${chain}`)
  }
  if (config.ipfs.gateways.length === 0) {
    gaps.push('IPFS_GATEWAYS is not set: only IPFS content that is stored here can be read')
  }
  if (config.ipfs.routers.length === 0) gaps.push('IPFS_ROUTERS is not set: IPNS names cannot be resolved')
  if (!config.cloudflare) {
    gaps.push('CF_API_TOKEN and CF_ZONE_ID are not set: domains of users do not reach the Worker')
  }
  return gaps
}
