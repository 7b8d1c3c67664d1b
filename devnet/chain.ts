import type { BlockHeader } from './block.ts'
import { type LedgerTransaction, outpoint } from './ledger-transaction.ts'

/** An unspent output. */
export interface Coin {
  value: bigint
  script: Uint8Array
  height: number
  coinbase: boolean
}

/** A block and the outputs that it spent from the set of unspent outputs. */
export interface Block extends BlockHeader {
  hash: string
  height: number
  parent: Block | undefined
  transactions: readonly LedgerTransaction[]
  /** The outputs its transactions spent, in the order of their inputs; filled while it is connected. */
  spent: Coin[]
  /** Order of arrival: of two chains of the same length, the first one seen stays the best. */
  arrival: number
}

/** A transaction and the block of the best chain that contains it. */
export interface Confirmed {
  transaction: LedgerTransaction
  block: Block
}

/** Whether an output can never be spent, and so never enters the set. */
export function isUnspendable(script: Uint8Array): boolean {
  return script[0] === 0x6a || script.length > 10_000
}

/** Every block known, the best chain among them, and its unspent outputs. */
export class Chain {
  readonly blocks: Map<string, Block>
  /** The best chain, by height. */
  readonly active: Block[]
  readonly coins: Map<string, Coin>
  /** The transactions of the best chain by txid. */
  readonly confirmed: Map<string, Confirmed>
  /** Blocks that were marked invalid by hand, and their descendants. */
  readonly invalid = new Set<Block>()
  readonly #children = new Map<string, Block[]>()

  constructor(from?: Chain) {
    this.blocks = new Map(from?.blocks)
    this.active = [...(from?.active ?? [])]
    this.coins = new Map(from?.coins)
    this.confirmed = new Map(from?.confirmed)
    for (const block of this.blocks.values()) this.#addChild(block)
  }

  get tip(): Block {
    const tip = this.active.at(-1)
    if (!tip) throw new Error('the chain has no genesis block')
    return tip
  }

  get height(): number {
    return this.active.length - 1
  }

  /** Median of the last eleven block times: the next block's must be later (BIP 113). */
  medianTime(block: Block = this.tip): number {
    const times: number[] = []
    for (let at: Block | undefined = block; at && times.length < 11; at = at.parent) times.push(at.time)
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
  }

  isActive(block: Block): boolean {
    return this.active[block.height] === block
  }

  /** Depth on the best chain, 1 for the tip; -1 off it. */
  confirmations(block: Block): number {
    return this.isActive(block) ? this.height - block.height + 1 : -1
  }

  /** Stores a block without making it part of the best chain. */
  add(block: Block): void {
    this.blocks.set(block.hash, block)
    this.#addChild(block)
  }

  #addChild(block: Block): void {
    const children = this.#children.get(block.previous)
    if (children) children.push(block)
    else this.#children.set(block.previous, [block])
  }

  /** The block and everything built on it. */
  *descendants(block: Block): Generator<Block> {
    const pending = [block]
    for (let at = pending.pop(); at; at = pending.pop()) {
      yield at
      pending.push(...(this.#children.get(at.hash) ?? []))
    }
  }

  /**
   * Makes `block`, whose parent is the tip, the new tip.
   * @throws {Error} if it spends a missing output
   */
  connect(block: Block): void {
    block.spent = []
    for (const transaction of block.transactions) {
      if (!transaction.coinbase) {
        for (const name of transaction.outpoints) {
          const coin = this.coins.get(name)
          if (!coin) throw new Error(`block ${block.hash} spends ${name}, which is not there`)
          block.spent.push(coin)
          this.coins.delete(name)
        }
      }
      transaction.outputs.forEach(({ value, script }, vout) => {
        if (isUnspendable(script)) return
        const coin = { value, script, height: block.height, coinbase: transaction.coinbase }
        this.coins.set(outpoint(transaction.txid, vout), coin)
      })
      this.confirmed.set(transaction.txid, { transaction, block })
    }
    this.active.push(block)
  }

  /** Disconnects the tip and returns it. */
  disconnect(): Block {
    const block = this.tip
    let spent = block.spent.length
    for (const transaction of block.transactions.toReversed()) {
      transaction.outputs.forEach((_, vout) => {
        this.coins.delete(outpoint(transaction.txid, vout))
      })
      this.confirmed.delete(transaction.txid)
      if (transaction.coinbase) continue
      for (const name of transaction.outpoints.toReversed()) {
        const coin = block.spent[--spent]
        if (coin) this.coins.set(name, coin)
      }
    }
    this.active.pop()
    return block
  }

  /** The best block that is neither invalid nor a descendant of an invalid one. */
  bestCandidate(): Block {
    let best = this.active[0]
    for (const block of this.blocks.values()) {
      if (this.invalid.has(block) || !best) continue
      if (block.height < best.height) continue
      if (block.height > best.height || block.arrival < best.arrival) best = block
    }
    if (!best) throw new Error('the chain has no genesis block')
    return best
  }
}
