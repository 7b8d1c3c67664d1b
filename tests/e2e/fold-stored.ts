import { expect } from 'vitest'
import { BLOCKCHAINS } from '../../protocol/chains.ts'
import { connect } from '../kit/call-devnet.ts'
import type { RunningWorker } from '../kit/start-worker.ts'

/** Blocks behind which transactions are folded, and some more. */
const BLOCKS = 320

/** Mines until the transactions of a stored item are collapsed on its page. */
export async function foldStored({ miniflare, chains }: RunningWorker, itemId: string): Promise<void> {
  const db = await miniflare.getD1Database('DB')
  const find = db.prepare('SELECT blockchain FROM writes WHERE item_id = ?').bind(itemId)
  const written = await find.first<string>('blockchain')
  const blockchain = BLOCKCHAINS.find((name) => name === written)
  if (blockchain === undefined) throw new Error(`${itemId} was not written`)
  const call = connect(chains.devnet, blockchain)
  call('generatetoaddress', BLOCKS, call('getnewaddress'))
  const folded = db.prepare(
    `SELECT 1 FROM item_txids WHERE item_id = ? AND length(packed) > 0
       AND NOT EXISTS (SELECT 1 FROM transactions WHERE item_id = ?1)`,
  )
  const runJobs = async () => {
    const worker = await miniflare.getWorker()
    await worker.scheduled({})
    return await folded.bind(itemId).first()
  }
  await expect.poll(runJobs, { timeout: 60_000, interval: 500 }).not.toBeNull()
}
