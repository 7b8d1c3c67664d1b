import { BLOCKCHAINS, CHAINS } from '../../protocol/chains.ts'
import {
  type Config,
  ConfigurationError,
  chainVariable,
  checkConfig,
  VARIABLES,
  type Variable,
} from '../../worker/platform/config/config.ts'
import { isLoopback } from '../../worker/platform/http/host-name.ts'
import { MACHINE_NAMES, MACHINE_SETTINGS, type MachineSetting } from '../machine-settings.ts'
import { REFUSED_SETTINGS } from '../refused-settings.ts'
import { isIn, parseAddress, parseNetworks } from '../workers/entry/networks.ts'

export interface ServerPlan {
  /** Of the main Worker: every one, empty where it is not set, so that the configuration finds it. */
  variables: Record<Variable, string>
  machine: Record<MachineSetting, string>
  /** Origins of the operator's services, which may be on private addresses. */
  ownServices: string[]
  /** What will not work, though everything else does. */
  warnings: string[]
}

const DEFAULT_DOH_URL = 'https://cloudflare-dns.com/dns-query'

const PRIVATE = parseNetworks(
  '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,169.254.0.0/16,100.64.0.0/10,::1,fc00::/7,fe80::/10',
)

/**
 * What this service is run with, of settings by their names; all problems are found at once, before anything is
 * touched. Names that are none of ours are only looked at in a file of settings (`strict`): an environment has others.
 */
export function checkServer(
  given: Record<string, string | undefined>,
  strict: readonly string[],
): ServerPlan | { problems: string[] } {
  const problems: string[] = []
  const known = new Set<string>([...VARIABLES, ...MACHINE_NAMES])
  for (const name of strict) if (!known.has(name)) problems.push(`${name} is not a setting of this service`)
  const values = (name: string) => given[name] ?? ''
  const variables = fill(VARIABLES, values)
  variables.DOH_URL ||= DEFAULT_DOH_URL
  for (const { settingSuffix, genesis } of Object.values(CHAINS)) {
    if (variables[`RPC_${settingSuffix}`]) variables[`GENESIS_${settingSuffix}`] ||= genesis ?? ''
  }
  for (const [name, reason] of Object.entries(REFUSED_SETTINGS)) {
    const value = values(name)
    if (value !== '' && value !== 'false') problems.push(`${name} is set: ${reason}`)
  }
  const config = checkConfig(variables)
  if (config instanceof ConfigurationError) problems.push(...config.problems)
  problems.push(...hostProblems(variables), ...nodeProblems(variables), ...mailProblems(variables))
  const machine = fill(MACHINE_NAMES, (name) => values(name) || MACHINE_SETTINGS[name].fallback)
  problems.push(...machineProblems(machine))
  if (problems.length > 0 || config instanceof ConfigurationError) return { problems }
  return {
    variables,
    machine,
    ownServices: ownServices(config),
    warnings: [...findGaps(config), ...openSockets(machine)],
  }
}

function fill<Name extends string>(names: readonly Name[], value: (name: Name) => string): Record<Name, string> {
  const filled: Partial<Record<Name, string>> = {}
  for (const name of names) filled[name] = value(name)
  return { ...mustHave(names, filled) }
}

function mustHave<Name extends string>(names: readonly Name[], values: Partial<Record<Name, string>>) {
  const isWhole = (record: Partial<Record<Name, string>>): record is Record<Name, string> =>
    names.every((name) => name in record)
  if (!isWhole(values)) throw new Error('a setting has no value')
  return values
}

function hostProblems({ BASE_URL }: Record<Variable, string>): string[] {
  const url = URL.parse(BASE_URL)
  if (!url || url.protocol === 'https:' || isLoopback(url.host)) return []
  return ['BASE_URL is not https: passwords and tokens would travel in the clear. A proxy in front makes it https']
}

/** A node may be on this machine or in its network; to one on the internet nothing is sent in the clear. */
function nodeProblems(variables: Record<Variable, string>): string[] {
  return BLOCKCHAINS.flatMap((blockchain) => {
    const name = chainVariable('RPC', blockchain)
    const urls = variables[name].split(',').map((text) => URL.parse(text.trim()))
    const isClear = (url: URL | null) => url?.protocol === 'http:' && !isPrivateHost(url.hostname)
    return urls.some(isClear)
      ? [`${name} is http:// to a public host: its password could be read in transit. Use https, or a tunnel`]
      : []
  })
}

/** Whether a host is an address of a private network, or a name that public DNS does not have. */
function isPrivateHost(host: string): boolean {
  const address = parseAddress(host.replace(/^\[|\]$/g, ''))
  if (address !== undefined) return isIn(address, PRIVATE)
  return !host.includes('.') || /\.(?:localhost|local|internal|lan|home\.arpa)$/.test(host)
}

function mailProblems({ MAIL_URL, MAIL_TOKEN }: Record<Variable, string>): string[] {
  if (MAIL_URL === '') return ['MAIL_URL is missing: nobody could verify an address or reset a password']
  return MAIL_TOKEN === '' ? ['MAIL_TOKEN is missing: the mail provider would refuse every mail'] : []
}

const ADDRESS = /^(?:[\w.-]+|\*|\[[\da-fA-F:]+\]):\d{1,5}$|^unix:\/.+/

function machineProblems(machine: Record<MachineSetting, string>): string[] {
  const problems: string[] = []
  for (const name of ['LISTEN', 'INTERNAL_LISTEN'] as const) {
    if (!ADDRESS.test(machine[name])) problems.push(`${name} is not an address such as 127.0.0.1:8787 or unix:/run/a`)
  }
  if (machine.LISTEN === machine.INTERNAL_LISTEN) problems.push('INTERNAL_LISTEN is the address of LISTEN, too')
  if (!machine.DATA_DIR.startsWith('/')) problems.push('DATA_DIR is not a whole path such as /var/lib/hookline')
  for (const name of ['DISK_BYTES', 'CACHE_BYTES', 'CACHE_MEMORY'] as const) {
    const text = machine[name]
    if (text !== '' && !/^[1-9]\d{0,15}$/.test(text)) problems.push(`${name} is not a number of bytes above 0`)
  }
  problems.push(...s3Problems(machine))
  try {
    parseNetworks(machine.TRUSTED_PROXIES)
  } catch (error) {
    problems.push(`TRUSTED_PROXIES ${error instanceof Error ? error.message : 'is wrong'}`)
  }
  return problems
}

function ownServices({ chains, mail }: Config): string[] {
  const nodes = BLOCKCHAINS.flatMap((blockchain) => chains[blockchain].rpc.map(({ url }) => url))
  return [...new Set([...nodes, ...(mail ? [mail.url] : [])].map((url) => new URL(url).origin))]
}

function findGaps(config: Config): string[] {
  const off = BLOCKCHAINS.filter((blockchain) => config.chains[blockchain].rpc.length === 0)
  return [
    ...off.map((blockchain) => `${chainVariable('RPC', blockchain)} is not set: ${blockchain} is off`),
    ...(config.ipfs.gateways.length === 0
      ? ['IPFS_GATEWAYS is not set: only IPFS content that is stored here can be read']
      : []),
  ]
}

function openSockets({ INTERNAL_LISTEN: listen }: Record<MachineSetting, string>): string[] {
  if (listen.startsWith('unix:') || isLoopback(listen)) return []
  return [`INTERNAL_LISTEN is ${listen}: see to it that only this machine reaches it`]
}

/** Copies hold everything of the users: they go nowhere in the clear but to a machine of this network. */
function s3Problems({ AWS_ENDPOINT_URL_S3: endpoint, AWS_REGION: region }: Record<MachineSetting, string>): string[] {
  const url = URL.parse(endpoint)
  const isRight = url?.protocol === 'https:' || (url?.protocol === 'http:' && isPrivateHost(url.hostname))
  return [
    ...(endpoint === '' || isRight ? [] : ['AWS_ENDPOINT_URL_S3 is not an https:// address']),
    ...(/^[a-z0-9-]{1,40}$/.test(region) ? [] : ['AWS_REGION is not a region such as us-east-1']),
  ]
}
