import { appendFile, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../../client/stores/private-folder.ts'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import type { TransactionStore } from '../../reader/chain/read-chain-content.ts'

const TXID_BYTES = 32
const HEAD_BYTES = TXID_BYTES + 4

/**
 * Verified transactions of an unfinished get, in one append-only file: txid, length, bytes. They are verified again
 * when they are read, so a damaged file only costs another download.
 */
export function transactionCache(path: string): TransactionStore & { remove: () => Promise<void> } {
  return {
    async get(txids) {
      const kept = await readCached(path)
      return txids.map((txid) => kept.get(txid))
    },
    async put(transactions) {
      const parts = transactions.flatMap(({ txid, bytes }) => {
        const head = new Uint8Array(HEAD_BYTES)
        head.set(fromHex(txid) ?? new Uint8Array(TXID_BYTES))
        new DataView(head.buffer).setUint32(TXID_BYTES, bytes.length)
        return [head, bytes]
      })
      try {
        await makePrivateFolder(dirname(path))
        await appendFile(path, Buffer.concat(parts), { mode: 0o600 })
      } catch {
        // The home folder is read-only (a container) or full: an interrupted get starts again.
      }
    },
    remove: () => rm(path, { force: true }).catch(() => undefined),
  }
}

async function readCached(path: string): Promise<Map<string, Uint8Array>> {
  const bytes: Uint8Array = await readFile(path).catch(() => new Uint8Array())
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kept = new Map<string, Uint8Array>()
  for (let start = 0; start + HEAD_BYTES <= bytes.length; ) {
    const end = start + HEAD_BYTES + view.getUint32(start + TXID_BYTES)
    // Cut off by a kill.
    if (end > bytes.length) break
    kept.set(toHex(bytes.subarray(start, start + TXID_BYTES)), bytes.subarray(start + HEAD_BYTES, end))
    start = end
  }
  return kept
}
