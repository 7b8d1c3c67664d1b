import { chunksOf, clustersOf, isBetter, toNodes } from './cluster.ts'
import type { LedgerTransaction } from './ledger-transaction.ts'
import type { MempoolEntry } from './mempool-entry.ts'
import type { PackageLimit } from './node-settings.ts'

/** The mempool: waiting transactions, parents before children, with their relations. */
export class Mempool {
  readonly entries = new Map<string, MempoolEntry>()
  /** Which waiting transaction spends an output. */
  readonly spenders = new Map<string, MempoolEntry>()
  bytes = 0
  /**
   * The fee rate per 1,000 vbytes that a transaction needs after others were evicted for room, until the next block.
   */
  minFeeRate = 0n

  /** The waiting transactions whose outputs `transaction` spends. */
  parentsOf(transaction: LedgerTransaction): Set<MempoolEntry> {
    const parents = new Set<MempoolEntry>()
    for (const { txid } of transaction.inputs) {
      const parent = this.entries.get(txid)
      if (parent) parents.add(parent)
    }
    return parents
  }

  /** All waiting ancestors of these, themselves included. */
  ancestorsOf(parents: Iterable<MempoolEntry>): Set<MempoolEntry> {
    return closure(parents, (entry) => entry.parents)
  }

  /** These and all their waiting descendants. */
  descendantsOf(entries: Iterable<MempoolEntry>): Set<MempoolEntry> {
    return closure(entries, (entry) => entry.children)
  }

  /**
   * The reason, in Bitcoin Core's words, why a transaction of `vsize` with these parents would exceed the chain limits
   * (CalculateMemPoolAncestors, with its checks in the same order); `undefined` if it would not.
   */
  checkLimits(
    parents: ReadonlySet<MempoolEntry>,
    vsize: number,
    ancestors: PackageLimit,
    descendants: PackageLimit,
  ): string | undefined {
    if (parents.size + 1 > ancestors.count) return `too many unconfirmed parents [limit: ${ancestors.count}]`
    const staged = [...parents]
    const seen = new Set(parents)
    let bytes = vsize
    let taken = 0
    for (let entry = staged.shift(); entry; entry = staged.shift()) {
      const { txid } = entry.transaction
      taken++
      bytes += entry.transaction.vsize
      if (entry.descendantBytes + vsize > descendants.bytes) {
        return `exceeds descendant size limit for tx ${txid} [limit: ${descendants.bytes}]`
      }
      if (entry.descendantCount + 1 > descendants.count) {
        return `too many descendants for tx ${txid} [limit: ${descendants.count}]`
      }
      if (bytes > ancestors.bytes) return `exceeds ancestor size limit [limit: ${ancestors.bytes}]`
      for (const parent of entry.parents) {
        if (!seen.has(parent)) {
          seen.add(parent)
          staged.push(parent)
        }
        if (staged.length + taken + 1 > ancestors.count) {
          return `too many unconfirmed ancestors [limit: ${ancestors.count}]`
        }
      }
    }
    return undefined
  }

  add(transaction: LedgerTransaction, fee: bigint, time: number, height: number): MempoolEntry {
    const parents = this.parentsOf(transaction)
    const ancestors = this.ancestorsOf(parents)
    const { vsize } = transaction
    const entry: MempoolEntry = {
      transaction,
      fee,
      time,
      height,
      parents,
      children: new Set(),
      ancestorCount: 1 + ancestors.size,
      ancestorBytes: vsize,
      ancestorFees: fee,
      descendantCount: 1,
      descendantBytes: vsize,
      descendantFees: fee,
    }
    for (const ancestor of ancestors) {
      entry.ancestorBytes += ancestor.transaction.vsize
      entry.ancestorFees += ancestor.fee
      ancestor.descendantCount++
      ancestor.descendantBytes += vsize
      ancestor.descendantFees += fee
    }
    for (const parent of parents) parent.children.add(entry)
    this.entries.set(transaction.txid, entry)
    for (const name of transaction.outpoints) this.spenders.set(name, entry)
    this.bytes += vsize
    return entry
  }

  /** Removes one transaction; its children stay, as when it was mined. */
  remove(entry: MempoolEntry): void {
    const { transaction, fee } = entry
    for (const ancestor of this.ancestorsOf(entry.parents)) {
      ancestor.descendantCount--
      ancestor.descendantBytes -= transaction.vsize
      ancestor.descendantFees -= fee
    }
    for (const descendant of this.descendantsOf(entry.children)) {
      descendant.ancestorCount--
      descendant.ancestorBytes -= transaction.vsize
      descendant.ancestorFees -= fee
    }
    for (const parent of entry.parents) parent.children.delete(entry)
    for (const child of entry.children) child.parents.delete(entry)
    this.entries.delete(transaction.txid)
    for (const name of transaction.outpoints) {
      if (this.spenders.get(name) === entry) this.spenders.delete(name)
    }
    this.bytes -= transaction.vsize
  }

  /** Expires transactions from before `time` (Unix seconds), with their descendants. */
  expire(time: number): void {
    for (const entry of this.entries.values()) {
      if (entry.time >= time) return
      this.removeWithDescendants([entry])
    }
  }

  /** As `trim`, by chunks: the worst chunk is evicted as a whole (Bitcoin Core from 31 on). */
  trimChunks(maxBytes: number, incrementalFeeRate: bigint): void {
    if (this.bytes <= maxBytes) return
    const last = clustersOf(this.entries.values()).map((cluster) => chunksOf(toNodes(cluster)))
    while (this.bytes > maxBytes) {
      const [first, ...rest] = last.filter((chunks) => chunks.length > 0)
      if (!first) return
      const end = (chunks: typeof first) => chunks[chunks.length - 1] ?? { entries: [], fee: 0n, vsize: 1, weight: 1 }
      const worst = rest.reduce((least, chunks) => (isBetter(end(least), end(chunks)) ? chunks : least), first)
      const chunk = worst.pop()
      if (!chunk) return
      this.removeWithDescendants(chunk.entries)
      const least = (chunk.fee * 1000n) / BigInt(chunk.vsize) + incrementalFeeRate
      if (least > this.minFeeRate) this.minFeeRate = least
    }
  }

  /**
   * Evicts the transactions with the lowest fee rate, with their descendants, until at most `maxBytes` vbytes are left.
   */
  trim(maxBytes: number, incrementalFeeRate: bigint): void {
    while (this.bytes > maxBytes) {
      let worst: { entry: MempoolEntry; rate: bigint } | undefined
      for (const entry of this.entries.values()) {
        const own = (entry.fee * 1000n) / BigInt(entry.transaction.vsize)
        const all = (entry.descendantFees * 1000n) / BigInt(entry.descendantBytes)
        const rate = own > all ? own : all
        if (!worst || rate < worst.rate) worst = { entry, rate }
      }
      if (!worst) return
      this.removeWithDescendants([worst.entry])
      const least = worst.rate + incrementalFeeRate
      if (least > this.minFeeRate) this.minFeeRate = least
    }
  }

  /** Removes these with all their descendants, children first, and returns them. */
  removeWithDescendants(entries: Iterable<MempoolEntry>): MempoolEntry[] {
    const gone = [...this.descendantsOf(entries)].sort((a, b) => b.ancestorCount - a.ancestorCount)
    for (const entry of gone) this.remove(entry)
    return gone
  }
}

function closure(
  from: Iterable<MempoolEntry>,
  next: (entry: MempoolEntry) => Iterable<MempoolEntry>,
): Set<MempoolEntry> {
  const found = new Set(from)
  for (const entry of found) for (const relative of next(entry)) found.add(relative)
  return found
}
