import type { Transaction, TransactionOutput } from '../protocol/transaction.ts'
import { dustLimit } from './accept-transaction.ts'
import { clusterOf } from './cluster.ts'
import { deriveLedgerTransaction, type LedgerTransaction } from './ledger-transaction.ts'
import type { Node } from './node.ts'
import type { Wallet, WalletCoin } from './wallet.ts'

/** The wallet has too few coins that it may spend. */
export class InsufficientFunds extends Error {
  override name = 'InsufficientFunds'
}

/** An unspent output of a wallet in its present state. */
export interface SpendableCoin extends WalletCoin {
  name: string
  /** 0 while it is unconfirmed. */
  confirmations: number
  /** Confirmed, or the wallet's own change. */
  safe: boolean
  /** Reward of a block not yet deep enough to be spent. */
  immature: boolean
}

/** The coins that the wallet could spend: confirmed or not, and not spent in the mempool. Includes locked ones. */
export function unspentCoins(node: Node, wallet: Wallet): SpendableCoin[] {
  const coins: SpendableCoin[] = []
  for (const [name, coin] of wallet.coins) {
    const unspent = node.coin(name, { waiting: true })
    if (!unspent) continue
    const confirmations = Math.max(0, node.chain.height - unspent.height + 1)
    const safe = confirmations > 0 || isOwn(wallet, coin.txid)
    const immature = unspent.coinbase && confirmations <= node.settings.coinbaseMaturity
    coins.push({ ...coin, name, confirmations, safe, immature })
  }
  return coins
}

/** Whether every input of a transaction was the wallet's. */
function isOwn(wallet: Wallet, txid: string): boolean {
  const own = wallet.transactions.get(txid)
  return own?.transaction.outpoints.every((name) => wallet.coin(name)) ?? false
}

/**
 * A signed transaction from the wallet's coins: confirmed ones first, then its own change if its chain of
 * unconfirmed transactions has room.
 * @throws {InsufficientFunds}
 */
export function payFromWallet(
  node: Node,
  wallet: Wallet,
  outputs: TransactionOutput[],
  { subtractFee = false, replaceable = false }: { subtractFee?: boolean; replaceable?: boolean } = {},
): LedgerTransaction {
  const { settings } = node
  const due = outputs.reduce((sum, { value }) => sum + value, 0n)
  const taken: WalletCoin[] = []
  let funds = 0n
  let fee = 0n
  const overhead = 11 + outputs.reduce((sum, { script }) => sum + 9 + script.length, 0)
  const enough = () => {
    const size = overhead + 34 + taken.length * (settings.address.hrp ? 69 : 148)
    fee = (node.walletFeeRate * BigInt(size) + 999n) / 1000n
    return taken.length > 0 && funds >= due + (subtractFee ? 0n : fee)
  }
  for (const [name, coin] of candidates(node, wallet)) {
    if (wallet.locked.has(name)) continue
    taken.push(coin)
    funds += coin.value
    if (enough()) break
  }
  if (!enough()) throw new InsufficientFunds('Insufficient funds')
  const [first, ...rest] = outputs
  const paid = subtractFee && first ? [{ ...first, value: first.value - fee }, ...rest] : outputs
  const change = funds - due - (subtractFee ? 0n : fee)
  const [own] = taken
  // Not to an earlier payment address: its owner would be paid again.
  const script = own?.key.change ? own.key.script : node.newKey(wallet, '', true).script
  const withChange = change > dustLimit(script, settings) + (settings.dust?.soft ?? 0n)
  const transaction: Transaction = {
    version: 2,
    inputs: taken.map(({ txid, vout }) => ({
      txid,
      vout,
      script: new Uint8Array(0),
      sequence: replaceable ? 0xfffffffd : 0xfffffffe,
      witness: [],
    })),
    outputs: withChange ? [...paid, { value: change, script }] : paid,
    lockTime: 0,
  }
  for (const [index, coin] of taken.entries()) {
    wallet.sign(transaction, index, { value: coin.value, script: coin.key.script })
  }
  return deriveLedgerTransaction(transaction)
}

/** A signed transaction of every coin that is confirmed and not locked, less its fee, to `script`. @throws {InsufficientFunds} */
export function sweepWallet(node: Node, wallet: Wallet, script: Uint8Array): LedgerTransaction {
  const coins = unspentCoins(node, wallet).filter(
    ({ name, confirmations, immature }) => confirmations > 0 && !immature && !wallet.locked.has(name),
  )
  const total = coins.reduce((sum, { value }) => sum + value, 0n)
  const size = 11 + 9 + script.length + coins.length * (node.settings.address.hrp ? 69 : 148)
  const value = total - (node.walletFeeRate * BigInt(size) + 999n) / 1000n
  if (coins.length === 0 || value < dustLimit(script, node.settings)) {
    throw new InsufficientFunds(
      "Total value of UTXO pool too low to pay for transaction. Try using lower feerate or excluding uneconomic UTXOs with 'send_max' option.",
    )
  }
  const inputs = coins.map(({ txid, vout }) => ({
    txid,
    vout,
    script: new Uint8Array(0),
    sequence: 0xfffffffd,
    witness: [],
  }))
  const transaction: Transaction = { version: 2, inputs, outputs: [{ value, script }], lockTime: 0 }
  for (const [index, coin] of coins.entries()) {
    wallet.sign(transaction, index, { value: coin.value, script: coin.key.script })
  }
  return deriveLedgerTransaction(transaction)
}

/** Coins in the order of spending; read one by one, since the first one usually suffices. */
function* candidates(node: Node, wallet: Wallet): Generator<[string, WalletCoin]> {
  const waiting: [string, WalletCoin][] = []
  for (const [name, coin] of wallet.coins) {
    if (node.mempool.spenders.has(name)) continue
    const confirmed = node.chain.coins.get(name)
    if (!confirmed) waiting.push([name, coin])
    else if (!confirmed.coinbase || node.chain.height + 1 - confirmed.height >= node.settings.coinbaseMaturity) {
      yield [name, coin]
    }
  }
  for (const [name, coin] of waiting) {
    const entry = node.mempool.entries.get(coin.txid)
    if (!entry || !isOwn(wallet, coin.txid)) continue
    if (node.settings.cluster) {
      if (clusterOf([entry]).size < node.settings.cluster.count) yield [name, coin]
      continue
    }
    const longest = Math.max(...[...node.mempool.ancestorsOf([entry])].map((ancestor) => ancestor.descendantCount))
    if (entry.ancestorCount < node.settings.ancestors.count && longest < node.settings.descendants.count) {
      yield [name, coin]
    }
  }
}
