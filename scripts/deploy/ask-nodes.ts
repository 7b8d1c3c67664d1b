import { BLOCKCHAINS, type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { chainVariable } from '../../worker/platform/config/config.ts'
import { isRecord } from '../../worker/platform/http/is-record.ts'

/** What is wrong for sure, and what only Cloudflare or a person can tell. */
export interface Findings {
  problems: string[]
  notes: string[]
}

type Settings = Record<string, string | undefined>

const TIMEOUT_MS = 10_000
/** Error codes of Bitcoin Core: no such method, no such wallet, and several wallets of which none is named. */
const [NO_METHOD, NO_WALLET, WHICH_WALLET] = [-32_601, -18, -19]

/**
 * Asks each node of the settings which network it is of, and whether it has its index and its wallet; changes nothing. A node that
 * this machine does not reach is a note, since Cloudflare may.
 */
export async function askNodes(settings: Settings, fetcher: typeof fetch): Promise<Findings[]> {
  const asked = BLOCKCHAINS.flatMap((blockchain) => {
    const urls = (settings[chainVariable('RPC', blockchain)] ?? '')
      .split(',')
      .flatMap((one) => URL.parse(one.trim()) ?? [])
    return urls.map((url, index) =>
      askNode({ blockchain, url, isFirst: index === 0, count: urls.length }, settings, fetcher, index),
    )
  })
  return await Promise.all(asked)
}

interface NodeOf {
  blockchain: Blockchain
  url: URL
  /** The first one has the wallet. */
  isFirst: boolean
  count: number
}

async function askNode(node: NodeOf, settings: Settings, fetcher: typeof fetch, index: number): Promise<Findings> {
  const { blockchain, url, isFirst } = node
  const name = `${chainVariable('RPC', blockchain)}${node.count > 1 ? ` (place ${index + 1})` : ''}`
  const call = (method: string, params: unknown[] = [], wallet?: string) => ask(url, fetcher, method, params, wallet)
  const genesis = settings[chainVariable('GENESIS', blockchain)] || CHAINS[blockchain].genesis
  const first = await call('getblockhash', [0])
  if ('down' in first)
    return { problems: [], notes: [`${name} is not reached from this machine: ${first.down}; Cloudflare may reach it`] }
  if ('status' in first) return { problems: [`${name} ${refusal(first.status)}`], notes: [] }
  const [info, indexes, uptime] = await Promise.all([call('getblockchaininfo'), call('getindexinfo'), call('uptime')])
  const wallet = isFirst ? await walletProblems(blockchain, settings, call) : []
  const [chain, built] = [resultOf(info), resultOf(indexes)]
  return {
    problems: [
      ...(genesis !== undefined && 'result' in first && first.result !== genesis
        ? [`${name} is of another network: its block 0 is ${String(first.result)}`]
        : []),
      ...('result' in first ? [] : [`${name} does not answer getblockhash: allow what docs/operate/nodes.md names`]),
      ...(built && !isRecord(built.txindex) ? [`${name} has no index of transactions: set txindex=1`] : []),
      ...wallet,
    ],
    notes: [
      ...(chain?.initialblockdownload === true
        ? [`${name} still loads blocks: nothing is sold on ${blockchain} until it has them`]
        : []),
      ...(built && isRecord(built.txindex) && built.txindex.synced === false
        ? [`${name} still builds its index of transactions`]
        : []),
      ...('result' in uptime
        ? [`${name} answers methods that this service does not need: name those that it does in rpcwhitelist`]
        : []),
    ],
  }
}

type Answer = { result: unknown } | { code: number } | { status: number } | { down: string }
type Call = (method: string, params?: unknown[], wallet?: string) => Promise<Answer>

async function walletProblems(blockchain: Blockchain, settings: Settings, call: Call): Promise<string[]> {
  const name = chainVariable('RPC_WALLET', blockchain)
  const wallet = settings[name] || undefined
  const answer = await call('getwalletinfo', [], wallet)
  if ('code' in answer && answer.code === NO_WALLET) return [`${name}: the node has no wallet ${wallet ?? ''} loaded`]
  if ('code' in answer && answer.code === WHICH_WALLET) return [`${name} is missing: the node has several wallets`]
  if ('code' in answer && answer.code === NO_METHOD) return [`${name}: the node was built without wallets`]
  if ('status' in answer) return [`${name}: the node ${refusal(answer.status)}`]
  if (resultOf(answer)?.unlocked_until === 0) return [`${name}: the wallet is locked, so that nothing can be signed`]
  return []
}

function refusal(status: number): string {
  if (status === 401) return 'refuses user and password'
  if (status === 403) return 'forbids what this service asks: look at rpcwhitelist and at the proxy'
  if (status >= 300 && status < 400) return 'redirects, which is not followed with a password'
  return `answers ${status}`
}

function resultOf(answer: Answer): Record<string, unknown> | undefined {
  return 'result' in answer && isRecord(answer.result) ? answer.result : undefined
}

async function ask(
  url: URL,
  fetcher: typeof fetch,
  method: string,
  params: unknown[],
  wallet?: string,
): Promise<Answer> {
  const target = new URL(url)
  target.username = ''
  target.password = ''
  if (wallet !== undefined)
    target.pathname = `${target.pathname.replace(/\/$/, '')}/wallet/${encodeURIComponent(wallet)}`
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (url.username) headers.authorization = `Basic ${Buffer.from(user).toString('base64')}`
  const body = JSON.stringify({ jsonrpc: '1.0', id: 0, method, params })
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetcher(target, { method: 'POST', headers, body, redirect: 'manual', signal })
    const answer: unknown = await response.json().catch(() => undefined)
    if (isRecord(answer) && isRecord(answer.error)) return { code: Number(answer.error.code) }
    if (response.ok && isRecord(answer)) return { result: answer.result }
    return { status: response.status }
  } catch (error) {
    const cause = error instanceof Error && isRecord(error.cause) ? error.cause.code : undefined
    return { down: String(cause ?? (error instanceof Error ? error.name : error)) }
  }
}
