import type { BlockHeader } from './block.ts'
import { makeCoinbase, merkleRoot, REGTEST_BITS, solveHeader } from './block.ts'
import type { Block, Chain } from './chain.ts'
import { type Chunk, chunksOf, clustersOf, isBetter, toNodes } from './cluster.ts'
import { feeFor } from './fee-rate.ts'
import type { LedgerTransaction } from './ledger-transaction.ts'
import type { Mempool } from './mempool.ts'
import type { MempoolEntry } from './mempool-entry.ts'
import { mergeMine } from './merge-mine.ts'
import type { NodeSettings } from './node-settings.ts'

/** Weight reserved for the header and the coinbase: Bitcoin Core's `-blockreservedweight`, and its value before 29. */
const RESERVED_WEIGHT = { clustered: 8_000, before: 4_000 } as const
/** A block with less space than this is full after this many consecutive chunks did not fit. */
const ALMOST_FULL_WEIGHT = 4_000
const MAX_FAILURES = 1_000

/**
 * The waiting transactions with a sufficient fee, as many as fit, best fee rate first. Unconfirmed ancestors are
 * included and their rate counts, so a child with a high fee pulls its parent in (Core's addPackageTxs, without
 * rescoring).
 */
export function chooseTransactions(mempool: Mempool, settings: NodeSettings): MempoolEntry[] {
  if (settings.cluster) return chooseChunks(mempool, settings)
  const chosen = new Set<MempoolEntry>()
  let weight: number = RESERVED_WEIGHT.before
  const rate = (entry: MempoolEntry) => Number(entry.ancestorFees) / entry.ancestorBytes
  const byRate = [...mempool.entries.values()].map((entry) => ({ entry, rate: rate(entry) }))
  byRate.sort((a, b) => b.rate - a.rate)
  for (const { entry } of byRate) {
    if (chosen.has(entry)) continue
    const missing = [entry]
    if (entry.ancestorCount > 1) {
      for (const ancestor of mempool.ancestorsOf(entry.parents)) if (!chosen.has(ancestor)) missing.push(ancestor)
    }
    let fees = 0n
    let vsize = 0
    let packageWeight = 0
    for (const { fee, transaction } of missing) {
      fees += fee
      vsize += transaction.vsize
      packageWeight += transaction.weight
    }
    if (fees < feeFor(settings.blockMinFeeRate, vsize, settings)) continue
    if (weight + packageWeight > settings.maxBlockWeight) continue
    weight += packageWeight
    missing.sort((a, b) => a.ancestorCount - b.ancestorCount)
    for (const one of missing) chosen.add(one)
  }
  return [...chosen]
}

/**
 * The same from Core 31 on, by whole chunks. Chunks of the same cluster after one that does not fit are not mined
 * either, so a chunk larger than a block is never mined.
 */
function chooseChunks(mempool: Mempool, settings: NodeSettings): MempoolEntry[] {
  const queues = clustersOf(mempool.entries.values()).map((cluster) => chunksOf(toNodes(cluster)))
  const chunks = queues.flatMap((queue, cluster) => queue.map((chunk) => ({ chunk, cluster })))
  chunks.sort((a, b) => compareRates(a.chunk, b.chunk))
  const chosen: MempoolEntry[] = []
  const skipped = new Set<number>()
  let weight: number = RESERVED_WEIGHT.clustered
  let failures = 0
  for (const { chunk, cluster } of chunks) {
    if (skipped.has(cluster)) continue
    if (chunk.fee < feeFor(settings.blockMinFeeRate, chunk.vsize, settings)) break
    if (weight + chunk.weight >= settings.maxBlockWeight) {
      skipped.add(cluster)
      failures++
      if (failures > MAX_FAILURES && weight + ALMOST_FULL_WEIGHT > settings.maxBlockWeight) break
      continue
    }
    failures = 0
    weight += chunk.weight
    chosen.push(...chunk.entries)
  }
  return chosen
}

function compareRates(a: Chunk, b: Chunk): number {
  return isBetter(a, b) ? -1 : isBetter(b, a) ? 1 : 0
}

/** What a block is made with besides its transactions. */
export interface BlockOptions {
  /** Unix seconds. */
  time: number
  arrival: number
  settings: NodeSettings
  /** Whether its work is that of another chain's block. */
  merged?: boolean
}

/**
 * A block on `parent` with these transactions; its reward and their fees are paid to `script`. Solved, not yet
 * connected.
 */
export function makeBlock(
  chain: Chain,
  parent: Block,
  transactions: readonly LedgerTransaction[],
  outputs: LedgerTransaction['outputs'],
  { time, ...options }: BlockOptions,
): Block {
  const { arrival, settings } = options
  const height = parent.height + 1
  const wtxids = settings.address.hrp ? transactions.map(({ wtxid }) => wtxid) : undefined
  const coinbase = makeCoinbase(height, arrival, outputs, wtxids)
  const all = [coinbase, ...transactions]
  return sealBlock(parent, all, { ...options, time: Math.max(time, chain.medianTime(parent) + 1) })
}

/** The block of exactly these transactions. */
export function sealBlock(
  parent: Block | undefined,
  transactions: readonly LedgerTransaction[],
  { time, arrival, settings, merged = false }: BlockOptions,
): Block {
  const unsolved: BlockHeader = {
    version: settings.blockVersion,
    previous: parent?.hash ?? '0'.repeat(64),
    merkleRoot: merkleRoot(transactions.map(({ txid }) => txid)),
    time,
    bits: REGTEST_BITS,
    nonce: 0,
  }
  const { work, chainId } = settings
  const { header, hash } =
    merged && chainId !== undefined ? mergeMine(unsolved, work, chainId) : solveHeader(unsolved, work)
  return {
    ...header,
    hash,
    height: parent ? parent.height + 1 : 0,
    parent,
    transactions,
    spent: [],
    arrival,
  }
}
