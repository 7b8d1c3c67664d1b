import { type Chunk, chunksOf, clusterOf, toNodes } from '../cluster.ts'
import type { MempoolEntry } from '../mempool-entry.ts'
import type { Node } from '../node.ts'
import type { Json } from './exact-json.ts'
import { type Methods, method } from './method.ts'
import { RPC, RpcError } from './rpc-error.ts'

function describeEntry(entry: MempoolEntry, node: Node): { [key: string]: Json | undefined } {
  const { transaction } = entry
  const txids = (entries: Iterable<MempoolEntry>) => [...entries].map((relative) => relative.transaction.txid)
  const counts = {
    descendantcount: entry.descendantCount,
    descendantsize: entry.descendantBytes,
    ancestorcount: entry.ancestorCount,
    ancestorsize: entry.ancestorBytes,
  }
  if (node.settings.dialect === 'dogecoin') {
    return {
      size: transaction.raw.length,
      fee: entry.fee,
      modifiedfee: entry.fee,
      time: entry.time,
      height: entry.height,
      ...counts,
      depends: txids(entry.parents),
    }
  }
  const chunk = node.settings.cluster && chunkOf(entry)
  return {
    vsize: transaction.vsize,
    weight: transaction.weight,
    time: entry.time,
    height: entry.height,
    ...counts,
    wtxid: transaction.wtxid,
    chunkweight: chunk?.weight,
    fees: {
      base: entry.fee,
      modified: entry.fee,
      ancestor: entry.ancestorFees,
      descendant: entry.descendantFees,
      chunk: chunk?.fee,
    },
    depends: txids(entry.parents),
    spentby: txids(entry.children),
    'bip125-replaceable': true,
    // This node has no peers.
    unbroadcast: true,
  }
}

function chunkOf(entry: MempoolEntry): Chunk | undefined {
  return chunksOf(toNodes(clusterOf([entry]))).find(({ entries }) => entries.includes(entry))
}

function findEntry(node: Node, txid: string): MempoolEntry {
  const entry = node.mempool.entries.get(txid)
  if (!entry) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Transaction not in mempool')
  return entry
}

function relatives(node: Node, entries: Iterable<MempoolEntry>, verbose: boolean): Json {
  const list = [...entries]
  if (!verbose) return list.map(({ transaction }) => transaction.txid)
  return Object.fromEntries(list.map((entry) => [entry.transaction.txid, describeEntry(entry, node)]))
}

/** RPC methods about the mempool. */
export const mempoolMethods: Methods = {
  getmempoolinfo: method('', ({ node }) => {
    const { mempool, settings } = node
    const core = settings.dialect === 'core'
    // The 1.14 family reports only the minimum fee of a full mempool; its relay fee is in getnetworkinfo.
    const floor = core ? settings.relayFeeRate : 0n
    const least = mempool.minFeeRate > floor ? mempool.minFeeRate : floor
    return {
      loaded: core ? true : undefined,
      size: mempool.entries.size,
      bytes: mempool.bytes,
      usage: mempool.bytes,
      total_fee: core ? [...mempool.entries.values()].reduce((sum, { fee }) => sum + fee, 0n) : undefined,
      maxmempool: settings.maxMempoolBytes,
      mempoolminfee: least,
      minrelaytxfee: core ? settings.relayFeeRate : undefined,
      incrementalrelayfee: core ? settings.incrementalFeeRate : undefined,
      unbroadcastcount: core ? mempool.entries.size : undefined,
      fullrbf: core ? true : undefined,
      permitbaremultisig: settings.cluster ? true : undefined,
      maxdatacarriersize: settings.cluster ? settings.maxDataScriptBytes : undefined,
      limitclustercount: settings.cluster?.count,
      limitclustersize: settings.cluster?.bytes,
    }
  }),
  getrawmempool: method('verbose? mempool_sequence?', ({ node }, params) =>
    relatives(node, node.mempool.entries.values(), params.boolean(0, false)),
  ),
  getmempoolentry: method('txid', ({ node }, params) =>
    describeEntry(findEntry(node, params.hash(0, 'parameter 1')), node),
  ),
  getmempoolcluster: method('txid', ({ node }, params) => {
    const chunks = chunksOf(toNodes(clusterOf([findEntry(node, params.hash(0, 'txid'))])))
    const txs = chunks.flatMap(({ entries, fee, weight }) =>
      entries.map(({ transaction: { txid } }) => ({ txid, chunkfee: fee, chunkweight: weight })),
    )
    return { weight: chunks.reduce((sum, { weight }) => sum + weight, 0), txcount: txs.length, txs }
  }),
  getmempoolancestors: method('txid verbose?', ({ node }, params) => {
    const entry = findEntry(node, params.hash(0, 'parameter 1'))
    return relatives(node, node.mempool.ancestorsOf(entry.parents), params.boolean(1, false))
  }),
  getmempooldescendants: method('txid verbose?', ({ node }, params) => {
    const entry = findEntry(node, params.hash(0, 'parameter 1'))
    return relatives(node, node.mempool.descendantsOf(entry.children), params.boolean(1, false))
  }),
}
