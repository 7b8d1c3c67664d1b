import type { AgentContext } from '../chain-follower/agent-context.ts'
import type { BlockPosition } from '../storage/chain/blocks.ts'
import { batchIf } from '../storage/guarded-batch.ts'
import { updateProgressStatement } from '../storage/writes/transaction-states.ts'
import { type OwnTransaction, selectUnmined } from '../storage/writes/transactions.ts'
import { selectWrites, startWritesStatement, type WriteJob } from '../storage/writes/writes.ts'
import { bumpLanes } from './bump-lanes.ts'
import { checkSent } from './check-sent.ts'
import { followersOf, giveUp } from './give-up.ts'
import { keepContent } from './keep-content.ts'
import { planWrites } from './plan-writes.ts'
import { publishIpfsItem, publishItems } from './publish-items.ts'
import { sendAll } from './send-transactions.ts'

/**
 * Takes paid items one step further. What is signed is sent, what was sent is looked after, what is confirmed is
 * published, and then what lanes have room for is signed. `true` when there may be more to do at once.
 */
export async function writeItems(context: AgentContext, tip: BlockPosition): Promise<boolean> {
  const { db, blockchain, config } = context
  await startWritesStatement(db, blockchain).run()
  const writes = await selectWrites(db, blockchain, ['queued', 'writing', 'published'])
  const forChain = writes.filter(({ target, state }) => target === blockchain && state !== 'published')
  let moved = false
  for (const write of writes) {
    if (write.state === 'published') {
      await attempt(write, () => keepContent(context, write))
    } else if (write.target === 'IPFS') {
      const done = await attempt(write, () => publishIpfsItem(context, write))
      if (done === false) moved = true
    }
  }
  const unmined = await dropHeld(context, forChain, await selectUnmined(db, blockchain))
  const signed = unmined.filter(({ state }) => state === 'signed')
  const { taken, orphaned } = await sendAll(context, tip, signed, unmined)
  await checkSent(context, tip, unmined, orphaned)
  const published = await publishItems(context, tip)
  const itemIds = forChain.map(({ itemId }) => itemId)
  const { confirmations } = config.chains[blockchain]
  if (itemIds.length > 0) await updateProgressStatement(db, itemIds, tip.height, confirmations).run()
  if (taken > 0 || published > 0) moved = true
  const waiting = taken > 0 ? await selectUnmined(db, blockchain) : unmined
  const planned = forChain.length > 0 && (await planWrites(context, forChain, waiting))
  return planned || (await bumpLanes(context, tip, waiting)) || moved
}

/** One item that fails does not stop the others; it is tried again. */
async function attempt<T>(write: WriteJob, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    console.error('item_not_written', write.itemId, error)
    return undefined
  }
}

/** What was signed and never sent for an item that is not to be written now is given up, and made anew later. */
async function dropHeld(
  { db, blockchain }: AgentContext,
  writes: readonly WriteJob[],
  unmined: OwnTransaction[],
): Promise<OwnTransaction[]> {
  const active = new Set(writes.map(({ itemId }) => itemId))
  const held = unmined.filter(
    ({ state, attempts, itemId }) =>
      state === 'signed' && attempts === 0 && itemId !== undefined && !active.has(itemId),
  )
  if (held.length === 0) return unmined
  const dropped = new Set(held.flatMap((one) => followersOf(unmined, one)))
  await batchIf(db, giveUp(db, blockchain, [...dropped]))
  return unmined.filter((one) => !dropped.has(one))
}
