import type { Blockchain } from '../../../protocol/chains.ts'
import { forgetScanStatement, rewindScannedStatement, selectBlocks } from '../../chain/follower/blocks.ts'
import { invalidField } from '../../platform/http/errors.ts'

/** Blocks that are stored. */
const KEPT = 1_000

/**
 * Has the wallet searched for payments again by the next step of its chain's agent: from the block at `height` on, which
 * has to be one of the last few hundred, or, without a height, from its beginning. What is known already is not counted
 * twice. `record` makes what is written in the same batch. @throws {AppError} 400
 */
export async function rewindScan(
  db: D1Database,
  blockchain: Blockchain,
  height: number | undefined,
  record: () => D1PreparedStatement[],
): Promise<void> {
  if (height === undefined) {
    await db.batch([forgetScanStatement(db, blockchain), ...record()])
    return
  }
  const blocks = await selectBlocks(db, blockchain, KEPT)
  const block = blocks.find((one) => one.height === height)
  if (!block) {
    const [newest, oldest] = [blocks[0], blocks.at(-1)]
    const range =
      newest && oldest
        ? `from ${oldest.height} to ${newest.height}`
        : 'the height of a followed block, but no block is followed'
    throw invalidField('height', `must be ${range}; without it the whole wallet is searched.`)
  }
  await db.batch([rewindScannedStatement(db, blockchain, block), ...record()])
}
