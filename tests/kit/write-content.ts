import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { addressScript } from '../../devnet/address.ts'
import type { Node } from '../../devnet/node.ts'
import { payFromWallet } from '../../devnet/pay-from-wallet.ts'
import { FAUCET } from '../../devnet/premine.ts'
import { type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { type ContentIndex, encodeContentIndex } from '../../protocol/content-index.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import type { RunningWorker } from './start-worker.ts'

/** Transactions mined together: none of them hangs on another that waits. */
const BLOCK_TRANSACTIONS = 20

/** Puts bytes on an embedded chain as they are, at most `step` in each transaction, and mines them; the txids in order. */
export function writeToNode(node: Node, bytes: Uint8Array, step = node.settings.maxDataScriptBytes - 6): string[] {
  const wallet = node.wallets.get(FAUCET)
  if (!wallet) throw new Error('the embedded chain has no faucet')
  const [key] = wallet.keys.values()
  const reward = addressScript(key?.address ?? '', node.settings.address) ?? Uint8Array.of(0x51)
  const txids: string[] = []
  for (let start = 0; start < bytes.length; start += step) {
    const script = writeOpReturn(bytes.subarray(start, start + step))
    const transaction = payFromWallet(node, wallet, [{ value: 0n, script }])
    const refused = node.submit(transaction)
    if (refused) throw new Error(`the embedded chain refused a transaction: ${refused.reason}`)
    txids.push(transaction.txid)
    if (txids.length % BLOCK_TRANSACTIONS === 0) node.mine(reward)
  }
  node.mine(reward)
  return txids
}

/** The same on a chain of a running Worker. */
export function storeBytes(
  { chains }: RunningWorker,
  blockchain: Blockchain,
  bytes: Uint8Array,
  step = CHAINS[blockchain].maxDataBytes,
): string[] {
  return writeToNode(chains.devnet.node(blockchain), bytes, step)
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

/** The same in several transactions, and the transaction of their index, with what a test has that say. */
export function storeIndexed(
  worker: RunningWorker,
  blockchain: Blockchain,
  content: Uint8Array,
  says: Partial<ContentIndex> = {},
  step = Math.ceil(content.length / 2),
): { parts: string[]; txid: string; index: Uint8Array } {
  const encoding = says.encoding ?? 'br'
  const parts = (encoding === 'br' ? storeContent : storeBytes)(worker, blockchain, content, step)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const index = encodeContentIndex({ type: 'text/plain', size: content.length, sha256, encoding, parts, ...says })
  const [txid = ''] = storeBytes(worker, blockchain, index)
  return { parts, txid, index }
}
