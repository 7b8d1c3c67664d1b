import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'

/** Content as a chain holds it: raw transactions, each named by its txid. */
export interface StoredContent {
  txids: string[]
  transactions: Buffer[]
}

/** `bytes` compressed and cut into transactions with one OP_RETURN each. */
export function storeOnChain(bytes: Uint8Array, maxDataBytes = 102_480): StoredContent {
  const compressed = brotliCompressSync(bytes)
  const transactions: Buffer[] = []
  for (let start = 0; start < compressed.length; start += maxDataBytes) {
    transactions.push(transactionWith(compressed.subarray(start, start + maxDataBytes)))
  }
  return { transactions, txids: transactions.map(txidOf) }
}

function transactionWith(data: Buffer): Buffer {
  const push = Buffer.alloc(5)
  push.writeUInt8(0x4e)
  push.writeUInt32LE(data.length, 1)
  const script = Buffer.concat([Buffer.from([0x6a]), push, data])
  return Buffer.concat([
    Buffer.from('0200000001', 'hex'),
    Buffer.alloc(36, 7),
    Buffer.from('00ffffffff01', 'hex'),
    Buffer.alloc(8),
    compactSize(script.length),
    script,
    Buffer.alloc(4),
  ])
}

function compactSize(size: number): Buffer {
  if (size < 0xfd) return Buffer.from([size])
  const bytes = Buffer.alloc(size <= 0xffff ? 3 : 5)
  bytes.writeUInt8(size <= 0xffff ? 0xfd : 0xfe)
  if (size <= 0xffff) bytes.writeUInt16LE(size, 1)
  else bytes.writeUInt32LE(size, 1)
  return bytes
}

function txidOf(transaction: Buffer): string {
  const once = createHash('sha256').update(transaction).digest()
  return createHash('sha256').update(once).digest().reverse().toString('hex')
}
