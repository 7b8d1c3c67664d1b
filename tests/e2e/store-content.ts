import { brotliCompressSync } from 'node:zlib'
import { importer } from 'ipfs-unixfs-importer'
import { CID } from 'multiformats/cid'
import { payFromWallet } from '../../devnet/pay-from-wallet.ts'
import { type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { BLOCK_PREFIX, blockName } from '../../worker/ipfs/blocks/block-key.ts'
import type { RunningWorker } from './start-worker.ts'

/** Puts bytes on an embedded chain as they are, in transactions of at most `step` data bytes; gives the txids. */
export function storeBytes(
  { chains }: RunningWorker,
  blockchain: Blockchain,
  bytes: Uint8Array,
  step = CHAINS[blockchain].maxDataBytes,
): string[] {
  const node = chains.devnet.node(blockchain)
  const wallet = node.wallets.get('faucet')
  if (!wallet) throw new Error(`${blockchain} has no faucet`)
  const txids: string[] = []
  for (let start = 0; start < bytes.length; start += step) {
    const script = writeOpReturn(bytes.subarray(start, start + step))
    const transaction = payFromWallet(node, wallet, [{ value: 0n, script }])
    const refused = node.submit(transaction)
    if (refused) throw new Error(`${blockchain} refused the transaction: ${refused.reason}`)
    txids.push(transaction.txid)
  }
  chains.devnet.mineWaiting()
  return txids
}

/** The same, Brotli-compressed first, as content is stored. */
export function storeContent(
  worker: RunningWorker,
  blockchain: Blockchain,
  content: Uint8Array | string,
  step?: number,
): string[] {
  return storeBytes(worker, blockchain, brotliCompressSync(content), step)
}

/** Puts files into the Worker's block store as one directory; gives the CIDs of it and of each file. */
export async function storeFiles(
  { miniflare }: RunningWorker,
  files: Record<string, Uint8Array | string>,
): Promise<{ root: string; cids: Record<string, string>; blocks: number }> {
  const bucket = await miniflare.getR2Bucket('BUCKET')
  const cids: Record<string, string> = {}
  let root = ''
  let blocks = 0
  const sink = {
    async put(cid: CID, bytes: Uint8Array): Promise<CID> {
      blocks++
      await bucket.put(BLOCK_PREFIX + blockName(cid), bytes)
      return cid
    },
  }
  const source = Object.entries(files).map(([path, content]) => ({
    path,
    content: typeof content === 'string' ? new TextEncoder().encode(content) : content,
  }))
  // Small leaves, so that a file of some KiB is a DAG.
  const options = { cidVersion: 1, rawLeaves: true, wrapWithDirectory: true } as const
  for await (const { path, cid } of importer(source, sink, options)) {
    if (path === undefined || path === '') root = CID.asCID(cid)?.toString() ?? ''
    else cids[path] = CID.asCID(cid)?.toString() ?? ''
  }
  return { root, cids, blocks }
}
