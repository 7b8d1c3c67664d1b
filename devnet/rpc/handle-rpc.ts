import type { Node } from '../node.ts'
import { FAUCET, SERVICE } from '../premine.ts'
import type { Wallet } from '../wallet.ts'
import { addressMethods } from './address-methods.ts'
import { blockchainMethods } from './blockchain-methods.ts'
import { controlMethods } from './control-methods.ts'
import { devMethods } from './dev-methods.ts'
import { type Json, JsonNumber, parseExact, toExact, writeExact } from './exact-json.ts'
import { mempoolMethods } from './mempool-methods.ts'
import type { CallContext, Methods } from './method.ts'
import { packageMethods } from './package-methods.ts'
import { Params } from './params.ts'
import { proofMethods } from './proof-methods.ts'
import { dogecoinRawTransactionMethods, rawTransactionMethods } from './raw-transaction-methods.ts'
import { RPC, RpcError } from './rpc-error.ts'
import { walletAdminMethods } from './wallet-admin-methods.ts'
import { walletHistoryMethods } from './wallet-history-methods.ts'
import { walletMethods } from './wallet-methods.ts'

const core: Methods = {
  ...blockchainMethods,
  ...mempoolMethods,
  ...rawTransactionMethods,
  ...walletMethods,
  ...walletHistoryMethods,
  ...walletAdminMethods,
  ...addressMethods,
  ...controlMethods,
  ...packageMethods,
  ...proofMethods,
  ...devMethods,
}

/** Methods that Dogecoin Core 1.14 lacks: Bitcoin Core added them after 0.14. */
const AFTER_0_14 = [
  'signrawtransactionwithwallet',
  'testmempoolaccept',
  'getaddressinfo',
  'getbalances',
  'createwallet',
  'loadwallet',
  'listwallets',
  'unloadwallet',
  'getrpcinfo',
  'uptime',
  'getindexinfo',
  'getmempoolcluster',
  'rescanblockchain',
  'sendall',
  'bumpfee',
  'submitpackage',
]

const METHODS: Record<Node['settings']['dialect'], ReadonlyMap<string, Methods[string]>> = {
  core: new Map(Object.entries(core)),
  dogecoin: new Map(
    Object.entries({ ...core, ...dogecoinRawTransactionMethods }).filter(([name]) => !AFTER_0_14.includes(name)),
  ),
}

/** Methods that were added with clusters. */
const CLUSTER_METHODS = ['getmempoolcluster']

const UNKNOWN_WALLET = 'Requested wallet does not exist or is not loaded'
const SEVERAL_WALLETS =
  'Multiple wallets are loaded. Please select which wallet to use by requesting the RPC through the /wallet/<walletname> URI path.'
const NO_WALLET =
  'No wallet is loaded. Load a wallet using loadwallet or create a new one with createwallet. (Note: A default wallet is no longer automatically created)'

/** The methods a node has. */
export function methodNames(node: Node): string[] {
  return [...METHODS[node.settings.dialect].keys()].filter((name) => hasMethod(node, name))
}

/** An HTTP answer: the status and the JSON text. */
export interface RpcAnswer {
  status: number
  body: string
}

function hasMethod({ settings }: Node, name: string): boolean {
  return settings.cluster !== undefined || !CLUSTER_METHODS.includes(name)
}

interface Reply {
  status: number
  text: string | undefined
}

/**
 * The response of a node to the body of a POST: one call or a batch. `wallet` is the name after `/wallet/` in the URL.
 */
export function handleRpc(node: Node, body: string, wallet?: string): RpcAnswer {
  let request: unknown
  try {
    request = parseExact(body)
  } catch {
    return { status: 500, body: `${write(null, new RpcError(RPC.PARSE, 'Parse error'), null, false)}\n` }
  }
  if (!Array.isArray(request)) {
    const { status, text } = answer(node, request, wallet)
    return { status, body: text === undefined ? '' : `${text}\n` }
  }
  const replies = request.map((one) => answer(node, one, wallet).text).filter((text) => text !== undefined)
  return replies.length === 0 && request.length > 0
    ? { status: 204, body: '' }
    : { status: 200, body: `[${replies.join(',')}]\n` }
}

/**
 * The result of one call, without JSON text. `wallet` as for {@link handleRpc}.
 * @throws {RpcError}
 */
export function callMethod(node: Node, method: string, params: readonly unknown[], wallet?: string): Json {
  return run(node, { method, params: params.map(toExact) }, wallet)
}

function answer(node: Node, request: unknown, wallet: string | undefined): Reply {
  let id: Json = null
  // Core 28 and later answer in JSON-RPC 2.0 if the request does: errors then have HTTP status 200.
  let second = false
  let silent = false
  try {
    if (typeof request !== 'object' || request === null || request instanceof JsonNumber) {
      throw new RpcError(RPC.INVALID_REQUEST, 'Invalid Request object')
    }
    const call: Record<string, unknown> = Object.fromEntries(Object.entries(request))
    id = toId(call.id)
    second = node.settings.dialect === 'core' && call.jsonrpc === '2.0'
    silent = second && !('id' in call)
    const result = write(run(node, call, wallet), undefined, id, second)
    return silent ? { status: 204, text: undefined } : { status: 200, text: result }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (silent) return { status: 204, text: undefined }
    return { status: second ? 200 : httpStatus(error.code), text: write(null, error, id, second) }
  }
}

function toId(id: unknown): Json {
  return typeof id === 'string' || id instanceof JsonNumber || typeof id === 'boolean' ? id : null
}

function httpStatus(code: number): number {
  if (code === RPC.INVALID_REQUEST) return 400
  return code === RPC.METHOD_NOT_FOUND ? 404 : 500
}

function write(result: Json, error: RpcError | undefined, id: Json, second: boolean): string {
  const described = error ? { code: error.code, message: error.message } : null
  if (!second) return writeExact({ result, error: described, id })
  return writeExact(described ? { jsonrpc: '2.0', error: described, id } : { jsonrpc: '2.0', result, id })
}

function run(node: Node, call: Record<string, unknown>, walletName: string | undefined): Json {
  if (call.method === undefined) throw new RpcError(RPC.INVALID_REQUEST, 'Missing method')
  if (typeof call.method !== 'string') throw new RpcError(RPC.INVALID_REQUEST, 'Method must be a string')
  if (node.warmup !== undefined) throw new RpcError(RPC.IN_WARMUP, node.warmup)
  const method = hasMethod(node, call.method) ? METHODS[node.settings.dialect].get(call.method) : undefined
  const given = call.params
  if (given !== undefined && given !== null && (typeof given !== 'object' || given instanceof JsonNumber)) {
    throw new RpcError(RPC.INVALID_REQUEST, 'Params must be an array or object')
  }
  if (!method) throw new RpcError(RPC.METHOD_NOT_FOUND, 'Method not found')
  const values = Array.isArray(given) ? given : byName(given ?? {}, method.args)
  const missing = values.length < method.needs || values.slice(0, method.needs).some((value) => value === undefined)
  if (missing || values.length > method.args.length) {
    throw new RpcError(RPC.MISC, `${call.method} ${method.args.map((name) => `"${name}"`).join(' ')}`.trim())
  }
  const context: CallContext = {
    node,
    walletName,
    wallet: () => findWallet(node, walletName),
    signer(wallet = context.wallet()) {
      if (wallet.passphrase === undefined || node.time < wallet.unlockedUntil) return wallet
      const text = 'Error: Please enter the wallet passphrase with walletpassphrase first.'
      throw new RpcError(RPC.WALLET_UNLOCK_NEEDED, text)
    },
  }
  if (walletName !== undefined) context.wallet()
  return method.run(context, new Params(values, node.settings.cluster ? method.args : []))
}

/**
 * The wallet that the URL names, or the only loaded one apart from the faucet's.
 * @throws {RpcError} -18, -19
 */
function findWallet(node: Node, name: string | undefined): Wallet {
  // On nodes before clusters the service's wallet is the default, also if other wallets are loaded.
  if (name !== undefined || !node.settings.cluster) {
    const wallet = node.wallets.get(name ?? SERVICE)
    if (wallet?.loaded) return wallet
    throw new RpcError(RPC.WALLET_NOT_FOUND, name === undefined ? NO_WALLET : UNKNOWN_WALLET)
  }
  const [only, ...others] = [...node.wallets.values()].filter((wallet) => wallet.loaded && wallet.name !== FAUCET)
  if (!only) throw new RpcError(RPC.WALLET_NOT_FOUND, NO_WALLET)
  if (others.length > 0) throw new RpcError(RPC.WALLET_NOT_SPECIFIED, SEVERAL_WALLETS)
  return only
}

/** Named arguments in the order of the positional ones; `args` holds leading positional ones. */
function byName(given: object, names: readonly string[]): unknown[] {
  const named = new Map<string, unknown>(Object.entries(given))
  const leading = named.get('args')
  const values: unknown[] = Array.isArray(leading) ? [...leading] : []
  named.delete('args')
  for (const [name, value] of named) {
    const index = names.indexOf(name)
    if (index < 0) throw new RpcError(RPC.INVALID_PARAMETER, `Unknown named parameter ${name}`)
    if (values[index] !== undefined) {
      throw new RpcError(
        RPC.INVALID_PARAMETER,
        `Parameter ${name} specified twice both as positional and named argument`,
      )
    }
    values[index] = value
  }
  return Array.from(values)
}
