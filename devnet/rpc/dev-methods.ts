import type { NodeSettings } from '../node-settings.ts'
import { type Methods, method } from './method.ts'
import { type Params, toHash } from './params.ts'
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
  devevict: method('txid', ({ node }, params) => node.evict([params.hash(0, 'txid')])),
  devmine: method('txids', ({ node }, params) => {
    const address = [...node.wallets.values()].flatMap(({ keys }) => [...keys.values()])[0]
    const txids = params.list(0).map((txid) => toHash(txid, 'txid'))
    return node.mine(address?.script ?? Uint8Array.of(0x51), { only: txids }).hash
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
