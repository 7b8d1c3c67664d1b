import type { MempoolEntry } from './mempool-entry.ts'

/** Transactions that are mined or evicted together; each also pays for its ancestors among them. */
export interface Chunk {
  entries: MempoolEntry[]
  fee: bigint
  vsize: number
  weight: number
}

/** All transactions connected with these by parents and children. */
export function clusterOf(from: Iterable<MempoolEntry>): Set<MempoolEntry> {
  const found = new Set(from)
  for (const entry of found) {
    for (const parent of entry.parents) found.add(parent)
    for (const child of entry.children) found.add(child)
  }
  return found
}

/** All clusters among these entries. */
export function clustersOf(entries: Iterable<MempoolEntry>): Set<MempoolEntry>[] {
  const seen = new Set<MempoolEntry>()
  const clusters: Set<MempoolEntry>[] = []
  for (const entry of entries) {
    if (seen.has(entry)) continue
    const cluster = clusterOf([entry])
    for (const one of cluster) seen.add(one)
    clusters.push(cluster)
  }
  return clusters
}

/** The data of a transaction for a linearization: its relations within one cluster, its fee and its sizes. */
export interface ClusterNode {
  entry: MempoolEntry
  fee: bigint
  vsize: number
  weight: number
  parents: ReadonlySet<ClusterNode>
}

/** The entries of a cluster as nodes whose parents are nodes of it, parents first. */
export function toNodes(entries: Iterable<MempoolEntry>): ClusterNode[] {
  const nodes = new Map<MempoolEntry, ClusterNode>()
  for (const entry of [...entries].sort((a, b) => a.ancestorCount - b.ancestorCount)) {
    const parents = new Set([...entry.parents].flatMap((parent) => nodes.get(parent) ?? []))
    const { vsize, weight } = entry.transaction
    nodes.set(entry, { entry, fee: entry.fee, vsize, weight, parents })
  }
  return [...nodes.values()]
}

/**
 * The chunks of one cluster, best fee rate first. The order is that of the best ancestor set, repeatedly, which Bitcoin
 * Core starts from too; its further improvements matter in rare graphs only.
 */
export function chunksOf(nodes: readonly ClusterNode[]): Chunk[] {
  const chunks: Chunk[] = []
  for (const node of linearize(nodes)) {
    let chunk: Chunk = { entries: [node.entry], fee: node.fee, vsize: node.vsize, weight: node.weight }
    for (let last = chunks.at(-1); last && isBetter(chunk, last); last = chunks.at(-1)) {
      chunks.pop()
      chunk = {
        entries: [...last.entries, ...chunk.entries],
        fee: last.fee + chunk.fee,
        vsize: last.vsize + chunk.vsize,
        weight: last.weight + chunk.weight,
      }
    }
    chunks.push(chunk)
  }
  return chunks
}

/** Whether `a` pays more for its weight than `b`. */
export function isBetter(a: Pick<Chunk, 'fee' | 'weight'>, b: Pick<Chunk, 'fee' | 'weight'>): boolean {
  return a.fee * BigInt(b.weight) > b.fee * BigInt(a.weight)
}

function linearize(nodes: readonly ClusterNode[]): ClusterNode[] {
  const left = new Set(nodes)
  const order: ClusterNode[] = []
  while (left.size > 0) {
    let best: { set: Set<ClusterNode>; fee: bigint; weight: number } | undefined
    for (const node of left) {
      const set = new Set([node])
      let fee = 0n
      let weight = 0
      for (const one of set) {
        fee += one.fee
        weight += one.weight
        for (const parent of one.parents) if (left.has(parent)) set.add(parent)
      }
      if (!best || isBetter({ fee, weight }, best)) best = { set, fee, weight }
    }
    if (!best) break
    // `nodes` has parents first.
    for (const node of nodes) {
      if (best.set.has(node)) {
        order.push(node)
        left.delete(node)
      }
    }
  }
  return order
}
