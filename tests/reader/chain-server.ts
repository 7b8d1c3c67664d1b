import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '../../protocol/bytes.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { encodeTransaction, reverseHex, type Transaction } from '../../protocol/transaction.ts'

/** A transaction with `data` in one OP_RETURN output; `nonce` tells it from others of the same data. */
export function dataTransaction(data: Uint8Array, nonce = 0): { txid: string; bytes: Uint8Array<ArrayBuffer> } {
  const transaction: Transaction = {
    version: 2,
    inputs: [{ txid: 'ab'.repeat(32), vout: nonce, script: new Uint8Array(), sequence: 0xffffffff, witness: [] }],
    outputs: [
      { value: 0n, script: writeOpReturn(data) },
      { value: 5000n, script: Uint8Array.of(0x51) },
    ],
    lockTime: 0,
  }
  const bytes = encodeTransaction(transaction)
  return { txid: reverseHex(sha256(sha256(bytes))), bytes }
}

/** Content split over transactions of `size` bytes each. */
export function chainContent(content: Uint8Array, size: number) {
  const count = Math.max(1, Math.ceil(content.length / size))
  return Array.from({ length: count }, (_, index) =>
    dataTransaction(content.subarray(index * size, (index + 1) * size), index),
  )
}

/** An API host that serves raw transactions by /v0/tx, as a fetch; `requests` is what it was asked. */
export function chainServer(
  transactions: readonly { txid: string; bytes: Uint8Array }[],
  tamper: (body: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> = (body) => body,
) {
  const byTxid = new Map(transactions.map(({ txid, bytes }) => [txid, bytes]))
  const requests: { method: string; txids: string[] }[] = []
  const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const posted: { txids: string[] } | undefined = init.body === undefined ? undefined : JSON.parse(String(init.body))
    const txids = posted?.txids ?? new URL(url).pathname.split('/')[4]?.split(',') ?? []
    requests.push({ method: init.method ?? 'GET', txids })
    const found = txids.map((txid) => byTxid.get(txid))
    if (found.includes(undefined)) return new Response(null, { status: 404 })
    return new Response(tamper(concatBytes(found.filter((bytes) => bytes !== undefined))))
  }
  return { fetch, requests }
}
