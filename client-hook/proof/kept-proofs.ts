import { transactionKey } from '../chain-content.ts'
import type { Database } from '../database.ts'

/** A proof of one transaction as it was fetched. */
interface KeptProof {
  proof: object
  /** In ms since 1970. */
  asked: number
}

/** A proof's name beside that of its transaction, in the store that helpers of every age share. */
const keyOf = (txid: string) => `${transactionKey(txid)}#proof`

/** The proofs that a browser keeps, by transaction. They are as little trusted as what a server sends. */
export class KeptProofs {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** By txid. */
  async read(txids: readonly string[]): Promise<Map<string, KeptProof>> {
    const found = new Map<string, KeptProof>()
    const stored = await this.#database.get(txids.map(keyOf))
    for (const [index, txid] of txids.entries()) {
      const bytes = stored[index]
      const kept = bytes && parseKept(bytes)
      if (kept) found.set(txid, kept)
    }
    return found
  }

  /** Keeps a proof that was verified, of each of its transactions by itself. */
  async write(proof: object, asked: number): Promise<void> {
    const records: [key: string, bytes: Uint8Array][] = []
    for (const block of listOf(proof, 'blocks')) {
      for (const transaction of listOf(block, 'transactions')) {
        const txid = 'txid' in transaction ? String(transaction.txid) : ''
        const kept = { asked, blocks: [{ ...block, transactions: [transaction] }] }
        records.push([keyOf(txid), new TextEncoder().encode(JSON.stringify(kept))])
      }
    }
    // A record that is there is not written again: others than these never change.
    await this.#database.delete(records.map(([key]) => key))
    await this.#database.put(records)
  }

  async remove(txids: readonly string[]): Promise<void> {
    await this.#database.delete(txids.map(keyOf))
  }
}

function parseKept(bytes: Uint8Array): KeptProof | undefined {
  try {
    const proof: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof proof !== 'object' || proof === null || !('asked' in proof)) return undefined
    return { proof, asked: Number(proof.asked) }
  } catch {
    return undefined
  }
}

function listOf(value: object, name: string): object[] {
  const list: unknown = Reflect.get(value, name)
  const isObject = (one: unknown): one is object => typeof one === 'object' && one !== null
  return Array.isArray(list) ? list.filter(isObject) : []
}
