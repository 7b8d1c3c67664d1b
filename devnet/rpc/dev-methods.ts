import { fromHex } from '../../protocol/bytes.ts'
import { type LedgerTransaction, outpoint, readLedgerTransaction } from '../ledger-transaction.ts'
import type { Node } from '../node.ts'
import type { NodeSettings } from '../node-settings.ts'
import { type Methods, method } from './method.ts'
import { type Params, toHash, toText } from './params.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** Amounts that can be changed at run time, by the name of a real node's option. */
const RATES = {
  minrelaytxfee: 'relayFeeRate',
  incrementalrelayfee: 'incrementalFeeRate',
  blockmintxfee: 'blockMinFeeRate',
} as const satisfies Record<string, keyof NodeSettings>

function setOption(params: Params): Partial<NodeSettings> {
  const name = params.text(0)
  const rate = Object.entries(RATES).find(([option]) => option === name)?.[1]
  if (rate) return { [rate]: params.amount(1) }
  if (name === 'maxmempool') return { maxMempoolBytes: params.integer(1) }
  if (name === 'blockmaxweight') return { maxBlockWeight: params.integer(1) }
  if (name === 'mempoolexpiry') return { mempoolExpirySeconds: params.integer(1) }
  const known = [...Object.keys(RATES), 'maxmempool', 'blockmaxweight', 'mempoolexpiry'].join(', ')
  throw new RpcError(RPC.INVALID_PARAMETER, `No option ${name} can be set here; there are ${known}`)
}

const TXID_LENGTH = 64

function readRaw(hex: string): LedgerTransaction {
  try {
    return readLedgerTransaction(fromHex(hex) ?? new Uint8Array(0))
  } catch {
    throw new RpcError(RPC.DESERIALIZATION, 'TX decode failed. Make sure the tx has at least one input.')
  }
}

/** @throws {RpcError} where a transaction spends what no block has, nor one before it. */
function refuseSpent(node: Node, transactions: readonly LedgerTransaction[]): void {
  const spent = new Set<string>()
  const made = new Set<string>()
  for (const { txid, outpoints, outputs } of transactions) {
    for (const name of outpoints) {
      const isThere = made.has(name) || node.coin(name, { waiting: false }) !== undefined
      if (!isThere || spent.has(name)) throw new RpcError(RPC.VERIFY, `No unspent output ${name}`)
      spent.add(name)
    }
    for (const vout of outputs.keys()) made.add(outpoint(txid, vout))
  }
}

/**
 * Methods that no real node has: they simulate events of a real chain. All names begin with `dev`; docs/devnet.md
 * describes them.
 */
export const devMethods: Methods = {
  devsetfeerate: method('feerate?', ({ node }, params) => {
    if (!params.has(0)) node.feeEstimate = undefined
    else if (params.values[0] === 'none') node.feeEstimate = 'none'
    else node.feeEstimate = params.amount(0)
    return null
  }),
  devsetoption: method('name value', ({ node }, params) => {
    node.reconfigure(setOption(params))
    return null
  }),
  devrestart: method('keep_mempool?', ({ node }, params) => {
    node.restart({ keepMempool: params.boolean(0, true) })
    return null
  }),
  devsetsyncing: method('syncing', ({ node }, params) => {
    node.syncing = params.boolean(0, false)
    return null
  }),
  devmergemine: method('on', ({ node }, params) => {
    if (node.settings.chainId === undefined) {
      throw new RpcError(RPC.INVALID_PARAMETER, `${node.settings.blockchain} has no merged mining`)
    }
    node.mergedMining = params.boolean(0, false)
    return null
  }),
  devevict: method('txid', ({ node }, params) => node.evict([params.hash(0, 'txid')])),
  devmine: method('txids', ({ node }, params) => {
    const address = [...node.wallets.values()].flatMap(({ keys }) => [...keys.values()])[0]
    const named = params.list(0).map(toText)
    const only = named.filter((one) => one.length <= TXID_LENGTH).map((txid) => toHash(txid, 'txid'))
    const raw = named.filter((one) => one.length > TXID_LENGTH).map(readRaw)
    refuseSpent(node, raw)
    return node.mine(address?.script ?? Uint8Array.of(0x51), { only, raw }).hash
  }),
  devsetscanning: method('seconds', ({ node, wallet }, params) => {
    const seconds = params.integer(0)
    wallet().scan = seconds > 0 ? { from: node.time, until: node.time + seconds } : undefined
    return null
  }),
  devreplacewallet: method('', ({ node, wallet }) => {
    node.replaceWallet(wallet())
    return null
  }),
  devforgetpayments: method('height', ({ node, wallet }, params) => {
    const height = params.integer(0)
    const own = wallet()
    const txids = [...own.transactions.keys()].filter((txid) => {
      return (node.chain.confirmed.get(txid)?.block.height ?? Number.POSITIVE_INFINITY) >= height
    })
    own.forgetTransactions(txids)
    return txids
  }),
}
