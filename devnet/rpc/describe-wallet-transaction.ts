import { scriptAddress } from '../address.ts'
import type { Block } from '../chain.ts'
import type { LedgerTransaction } from '../ledger-transaction.ts'
import type { Node } from '../node.ts'
import type { Wallet, WalletTransaction } from '../wallet.ts'
import type { Json } from './exact-json.ts'

/** Depth of a wallet transaction: 0 while it waits, negative if a block contains a conflicting one. */
export function depth(node: Node, { transaction }: WalletTransaction): { confirmations: number; block?: Block } {
  const confirmed = node.chain.confirmed.get(transaction.txid)
  if (confirmed) return { confirmations: node.chain.confirmations(confirmed.block), block: confirmed.block }
  return { confirmations: 0 }
}

/** Other transactions of the wallet that spend the same outputs; the input of a coinbase is ignored. */
function conflictsOf(wallet: Wallet, { transaction }: WalletTransaction): string[] {
  if (transaction.coinbase) return []
  const mine = new Set(transaction.outpoints)
  return [...wallet.transactions.values()]
    .filter((other) => other.transaction !== transaction && other.transaction.outpoints.some((name) => mine.has(name)))
    .map((other) => other.transaction.txid)
}

/**
 * The block with another transaction, of any wallet, that spends the same outputs as this one or as one of its
 * ancestors in the wallet (Core's MarkConflicted).
 */
function conflictingBlock(node: Node, wallet: Wallet, transaction: LedgerTransaction): Block | undefined {
  const { chain, mempool } = node
  if (chain.confirmed.has(transaction.txid) || mempool.entries.has(transaction.txid)) return undefined
  for (const [index, { txid }] of transaction.inputs.entries()) {
    const name = transaction.outpoints[index] ?? ''
    if (chain.coins.has(name)) continue
    const source = chain.confirmed.get(txid)
    const known = wallet.transactions.get(txid)
    const block = source
      ? chain.active.findLast(({ height, transactions }) => height >= source.block.height && spends(transactions, name))
      : known && conflictingBlock(node, wallet, known.transaction)
    if (block) return block
  }
  return undefined
}

function spends(transactions: readonly LedgerTransaction[], name: string): boolean {
  return transactions.some(({ outpoints }) => outpoints.includes(name))
}

/** The part of gettransaction and listsinceblock about a transaction as a whole. */
export function describeWalletTransaction(
  node: Node,
  wallet: Wallet,
  own: WalletTransaction,
): { [key: string]: Json | undefined } {
  const { transaction, time } = own
  const { confirmations, block } = depth(node, own)
  const conflicts = conflictsOf(wallet, own)
  const conflicting = conflictingBlock(node, wallet, transaction)
  const core = node.settings.dialect === 'core'
  return {
    confirmations: conflicting ? -node.chain.confirmations(conflicting) : confirmations,
    generated: transaction.coinbase || undefined,
    trusted: confirmations === 0 ? own.debit > 0n && node.mempool.entries.has(transaction.txid) : undefined,
    blockhash: block?.hash,
    blockheight: core ? block?.height : undefined,
    blockindex: block?.transactions.indexOf(transaction),
    blocktime: block?.time,
    txid: transaction.txid,
    wtxid: core ? transaction.wtxid : undefined,
    walletconflicts: conflicts,
    mempoolconflicts: core ? conflicts.filter((txid) => node.mempool.entries.has(txid)) : undefined,
    time,
    timereceived: time,
    'bip125-replaceable': confirmations === 0 && core ? 'yes' : 'no',
    replaced_by_txid: wallet.replaced.get(transaction.txid),
    replaces_txid: [...wallet.replaced].find(([, by]) => by === transaction.txid)?.[0],
  }
}

/** The fee of a transaction of the wallet's, negative as the wallet writes it. */
export function feeOf(own: WalletTransaction): bigint {
  return own.transaction.outputs.reduce((sum, { value }) => sum + value, 0n) - own.debit
}

/** One entry for every output sent, and one for every output received, as in gettransaction and listsinceblock. */
export function details(node: Node, wallet: Wallet, own: WalletTransaction): { [key: string]: Json | undefined }[] {
  const { transaction, debit } = own
  const entries: { [key: string]: Json | undefined }[] = []
  const { confirmations } = depth(node, own)
  const abandoned = confirmations === 0 && wallet.abandoned.has(transaction.txid)
  const receive = transaction.coinbase
    ? confirmations > node.settings.coinbaseMaturity
      ? 'generate'
      : confirmations > 0
        ? 'immature'
        : 'orphan'
    : 'receive'
  const outputs = transaction.outputs
    .map((output, vout) => ({
      ...output,
      vout,
      key: wallet.keyFor(output.script),
      address: scriptAddress(output.script, node.settings.address),
    }))
    .filter(({ key }) => debit === 0n || !key?.change)
  if (debit > 0n) {
    for (const { vout, value, address, key } of outputs) {
      const common = { address, category: 'send', amount: -value, label: key?.label, vout, fee: feeOf(own) }
      entries.push({ ...common, abandoned })
    }
  }
  for (const { vout, value, address, key } of outputs) {
    if (!key) continue
    entries.push({ address, category: receive, amount: value, label: key.label, vout, abandoned })
  }
  return entries
}
