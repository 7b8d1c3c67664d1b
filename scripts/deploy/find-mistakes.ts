import { BLOCKCHAINS, CHAINS } from '../../protocol/chains.ts'
import { type Config, chainVariable, type Variable } from '../../worker/platform/config/config.ts'
import { hostName } from '../../worker/platform/http/host-name.ts'

type Variables = Partial<Record<Variable, string>>
type Settings = Partial<Record<'STORAGE_ZONE' | 'CLOUDFLARE_ACCOUNT_ID', string>>

const HEX_ID = /^[0-9a-f]{32}$/
/** Coins for each KiB above which a price is taken for base units. */
const DEAR = 1n
/** Mailboxes of everybody, whose domains sign no mail of ours. */
const MAILBOX_DOMAINS = /@(?:gmail|googlemail|outlook|hotmail|live|yahoo|icloud|gmx|proton|protonmail)\.\w+>?$/i

/** What each setting means is as it should be, but together, or at Cloudflare, they can't be meant so. Pure. */
export function findMistakes(variables: Variables, settings: Settings): string[] {
  return [...findZoneMistakes(variables, settings), ...findNodeMistakes(variables), ...findOtherMistakes(variables)]
}

function findZoneMistakes({ BASE_URL = '', STORAGE_HOST = '', CF_ZONE_ID }: Variables, settings: Settings): string[] {
  const problems: string[] = []
  const api = URL.parse(BASE_URL)
  if (api?.hostname.endsWith('.workers.dev')) {
    problems.push('BASE_URL is on workers.dev: the Worker answers a host of a zone of yours alone')
  }
  if (api && (api.username || api.password))
    problems.push('BASE_URL has a user or a password, which nobody is asked for')
  const [storage, zone] = [hostName(STORAGE_HOST), hostName(settings.STORAGE_ZONE ?? '')]
  if (zone && storage && storage !== zone && !storage.endsWith(`.${zone}`)) {
    problems.push(`STORAGE_ZONE does not have STORAGE_HOST: ${storage} is not ${zone} and not below it`)
  }
  if (settings.CLOUDFLARE_ACCOUNT_ID && !HEX_ID.test(settings.CLOUDFLARE_ACCOUNT_ID)) {
    problems.push('CLOUDFLARE_ACCOUNT_ID is not 32 hex digits, as the overview of the account shows them')
  }
  if (CF_ZONE_ID && !HEX_ID.test(CF_ZONE_ID)) {
    problems.push('CF_ZONE_ID is not 32 hex digits, as the overview of the zone shows them')
  }
  return problems
}

function findNodeMistakes(variables: Variables): string[] {
  const problems: string[] = []
  const ours = [URL.parse(variables.BASE_URL ?? '')?.hostname, variables.STORAGE_HOST].map((host) =>
    hostName(host ?? ''),
  )
  const seen = new Map<string, string>()
  for (const blockchain of BLOCKCHAINS) {
    const name = chainVariable('RPC', blockchain)
    const nodes = (variables[name] ?? '').split(',').flatMap((one) => URL.parse(one.trim()) ?? [])
    for (const [index, node] of nodes.entries()) {
      const place = nodes.length > 1 ? ` (place ${index + 1})` : ''
      const host = hostName(node.hostname)
      if (ours.some((own) => own !== '' && (host === own || host.endsWith(`.${own}`)))) {
        problems.push(`${name}${place} is a host that this Worker answers: it would ask itself`)
      }
      if (/\/wallet\//.test(node.pathname)) {
        problems.push(`${name}${place} names a wallet: put that into ${chainVariable('RPC_WALLET', blockchain)}`)
      }
      if (/\.onion$/.test(host)) problems.push(`${name}${place} is an onion service, which Workers do not reach`)
      if (/\.ts\.net$/.test(host)) {
        problems.push(`${name}${place} is a name of a tailnet, which Workers do not reach: use a hostname of a tunnel`)
      }
      const where = `${host}:${node.port}${node.pathname}`
      const other = seen.get(where)
      if (other !== undefined && other !== name) problems.push(`${name}${place} is the node of ${other} too`)
      seen.set(where, name)
    }
    const wallet = chainVariable('RPC_WALLET', blockchain)
    if (variables[wallet]?.includes('/')) problems.push(`${wallet} has a slash: a wallet is named without its path`)
    if (variables[wallet] && nodes.length === 0) problems.push(`${wallet} is set, but not ${name}`)
  }
  return problems
}

function findOtherMistakes(variables: Variables): string[] {
  const problems: string[] = []
  const { MAIL_FROM, IPFS_GATEWAYS = '', STORAGE_HOST = '' } = variables
  if (MAIL_FROM && MAILBOX_DOMAINS.test(MAIL_FROM)) {
    problems.push('MAIL_FROM is a mailbox of a provider: use a domain of yours, with SPF, DKIM and DMARC')
  }
  const storage = hostName(STORAGE_HOST)
  const isOurs = (host: string) => storage !== '' && (host === storage || host.endsWith(`.${storage}`))
  if (IPFS_GATEWAYS.split(',').some((one) => isOurs(hostName(URL.parse(one.trim())?.hostname ?? '')))) {
    problems.push('IPFS_GATEWAYS has STORAGE_HOST: the Worker would ask itself for what it does not have')
  }
  return problems
}

/** Amounts that contradict each other. Pure. */
export function findMoneyMistakes({ chains }: Pick<Config, 'chains'>): string[] {
  return BLOCKCHAINS.flatMap((blockchain) => {
    const { walletLeast, walletMost, pricePerKib, payoutLimits } = chains[blockchain]
    const { hour, day, accountHour, accountDay } = payoutLimits
    const isAbove = (one: bigint | undefined, other: bigint | undefined) =>
      one !== undefined && other !== undefined && one > other
    const name = (setting: Parameters<typeof chainVariable>[0]) => chainVariable(setting, blockchain)
    return [
      ...(isAbove(walletLeast, walletMost) ? [`${name('WALLET_LEAST')} is above ${name('WALLET_MOST')}`] : []),
      ...(isAbove(hour, day) || isAbove(accountHour, accountDay)
        ? [`${name('PAYOUT_PER_HOUR')} is above ${name('PAYOUT_PER_DAY')}`]
        : []),
      ...(isAbove(accountHour, hour) ? [`${name('PAYOUT_PER_HOUR')} allows one account more than all together`] : []),
      ...(isAbove(accountDay, day) ? [`${name('PAYOUT_PER_DAY')} allows one account more than all together`] : []),
      ...(pricePerKib >= DEAR * 100_000_000n && blockchain === 'Bitcoin'
        ? [
            `${name('PRICE_PER_KIB')} is ${pricePerKib / 100_000_000n} coins for each KiB: prices are in coins, not in base units`,
          ]
        : []),
    ]
  })
}

/** What works otherwise than one may think. Pure. */
export function findDoubts({ chains, ipfs }: Pick<Config, 'chains' | 'ipfs'>, variables: Variables): string[] {
  const notes: string[] = []
  for (const blockchain of BLOCKCHAINS) {
    const { rpc, genesis } = chains[blockchain]
    if (rpc.length === 0) continue
    const name = (setting: Parameters<typeof chainVariable>[0]) => chainVariable(setting, blockchain)
    if (rpc.some(({ authorization }) => !authorization)) {
      notes.push(
        `${name('RPC')} has no user and password: anybody who knows the name can use the wallet, unless a proxy asks for more`,
      )
    }
    const usual = CHAINS[blockchain].genesis
    if (usual !== undefined && genesis !== usual) {
      notes.push(`${name('GENESIS')} is not that of the main network: coins of test networks are worth nothing`)
    }
  }
  if (chains.Bitcoin.rpc.length > 0 && chains.Bitcoin.maxDataBytes > 83) {
    notes.push(`MAX_DATA_BYTES_BITCOIN is ${chains.Bitcoin.maxDataBytes}: few nodes relay more than 80 bytes`)
  }
  if (chains[ipfs.paymentChain].rpc.length === 0) {
    notes.push(`IPFS_PAYMENT_CHAIN is ${ipfs.paymentChain}, which has no node: no storage on IPFS is sold`)
  }
  if (variables.MAIL_FROM && !/<[^>]+>$/.test(variables.MAIL_FROM)) {
    notes.push('MAIL_FROM has no name before the address: `Hookline <no-reply@…>` shows one')
  }
  return notes
}
