import { toHex } from '../../protocol/bytes.ts'
import type { Node } from '../node.ts'
import { FAUCET, SERVICE } from '../premine.ts'
import type { Wallet, WalletTransaction } from '../wallet.ts'
import { describeTransaction } from './describe-transaction.ts'
import { depth, describeWalletTransaction, details, feeOf } from './describe-wallet-transaction.ts'
import type { Json } from './exact-json.ts'
import { findBlock } from './find-block.ts'
import { type Method, type Methods, method } from './method.ts'
import { RPC, RpcError } from './rpc-error.ts'

const gettransaction: Method['run'] = ({ node, wallet, walletName }, params) => {
  const txid = params.hash(0, 'txid')
  const named = wallet()
  // A call without a wallet name finds the result of sendtoaddress, although the faucet paid it.
  const isOwner = named.transactions.has(txid) || named.name !== SERVICE || walletName !== undefined
  const owner = isOwner ? named : node.wallets.get(FAUCET)
  const own = owner?.transactions.get(txid)
  if (!own || !owner) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Invalid or non-wallet transaction id')
  const { transaction, debit } = own
  let credit = 0n
  for (const { value, script } of transaction.outputs) if (owner.keyFor(script)) credit += value
  const fee = debit > 0n ? feeOf(own) : undefined
  const core = node.settings.dialect === 'core'
  return {
    amount: credit - debit - (fee ?? 0n),
    fee,
    ...describeWalletTransaction(node, owner, own),
    details: details(node, owner, own),
    hex: toHex(transaction.raw),
    decoded: core && params.boolean(2, false) ? describeTransaction(transaction, node.settings) : undefined,
    lastprocessedblock: core ? { hash: node.chain.tip.hash, height: node.chain.height } : undefined,
  }
}

function listed(node: Node, wallet: Wallet, own: WalletTransaction): Json[] {
  const common = describeWalletTransaction(node, wallet, own)
  return details(node, wallet, own).map((entry) => ({ ...entry, ...common }))
}

const listsinceblock: Method['run'] = ({ node, wallet }, params) => {
  const own = wallet()
  const { chain } = node
  const depthWanted = params.integer(1, 1)
  if (depthWanted < 1) throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid parameter')
  const since = params.text(0, '') === '' ? undefined : findBlock(node, params.hash(0, 'blockhash'))
  let fork = since
  const removed: Json[] = []
  for (; fork && !chain.isActive(fork); fork = fork.parent) {
    for (const { txid } of fork.transactions) {
      const gone = own.transactions.get(txid)
      if (gone) removed.push(...listed(node, own, gone))
    }
  }
  const transactions: Json[] = []
  for (const known of own.transactions.values()) {
    const { block } = depth(node, known)
    if (!block || !fork || block.height > fork.height) transactions.push(...listed(node, own, known))
  }
  const core = node.settings.dialect === 'core'
  return {
    transactions,
    removed: core && params.boolean(3, true) ? removed : undefined,
    lastblock: chain.active[Math.max(0, chain.height + 1 - depthWanted)]?.hash ?? chain.tip.hash,
  }
}

/** RPC methods about the history of a wallet. */
export const walletHistoryMethods: Methods = {
  abandontransaction: method('txid', ({ node, wallet }, params) => {
    const own = wallet()
    const known = own.transactions.get(params.hash(0, 'txid'))
    if (!known) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Invalid or non-wallet transaction id')
    const { txid } = known.transaction
    if (depth(node, known).confirmations > 0 || node.mempool.entries.has(txid)) {
      throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Transaction not eligible for abandonment')
    }
    own.abandon(txid)
    return null
  }),
  gettransaction: method('txid include_watchonly? verbose?', gettransaction),
  listsinceblock: method('blockhash? target_confirmations? include_watchonly? include_removed?', listsinceblock),
  listtransactions: method('label? count? skip? include_watchonly?', ({ node, wallet }, params) => {
    const own = wallet()
    const all = [...own.transactions.values()].flatMap((known) => listed(node, own, known))
    const end = all.length - params.integer(2, 0)
    return all.slice(Math.max(0, end - params.integer(1, 10)), Math.max(0, end))
  }),
}
