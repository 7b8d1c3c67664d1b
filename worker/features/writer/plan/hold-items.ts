import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import { mustWait } from '../../../chain/follower/each-record.ts'
import { selectFailedIds, selectFailedRecords } from '../../../chain/follower/failed-records.ts'
import { updateWaitingMessage } from '../../items/sql/items.ts'
import { BEING_WRITTEN } from '../../items/sql/move-items.ts'
import type { WriteJob } from '../../items/sql/writes.ts'
import { isAffordable } from '../../transactions/sign/is-affordable.ts'
import type { OwnTransaction } from '../../transactions/sql/transactions.ts'

const TOO_DEAR =
  "Paid. It waits: the network's fees are far above those that its price was made with. Writing continues automatically."

const WRITING_STOPPED =
  'Paid. It waits: the operator has stopped writing on this chain for now. Writing continues automatically.'

/**
 * The items that may be written at the present fee rate. The others wait, and their payers are notified. Items that are recorded as
 * failed because the node refuses their transactions wait for their backoff.
 */
export async function selectAffordable(
  { db, blockchain, config, now }: AgentContext,
  writes: readonly WriteJob[],
  feeRate: bigint,
): Promise<WriteJob[]> {
  const failedRecords = (await selectFailedRecords(db, blockchain, 'refused')).filter((row) => mustWait(row, now))
  const backingOff = new Set(failedRecords.map(({ id }) => id))
  const affordable = writes.filter((write) => isAffordable(write, feeRate, config.feeCeilingPercent))
  const dear = writes.filter((write) => !affordable.includes(write) && write.message !== TOO_DEAR)
  const freed = affordable.filter(({ message }) => message === TOO_DEAR || message === WRITING_STOPPED)
  if (dear.length > 0) {
    console.warn('fees_above_ceiling', blockchain, `${dear.length} items wait at a fee rate of ${feeRate}`)
    await updateWaitingMessage(db, ids(dear), TOO_DEAR)
  }
  if (freed.length > 0) await updateWaitingMessage(db, ids(freed), BEING_WRITTEN)
  return affordable.filter(({ itemId }) => !backingOff.has(itemId))
}

/** Tells the payers of items that are not sent whole that writing is stopped; for one that the node refuses, its reason stays. */
export async function tellStopped(
  { db, blockchain }: Pick<AgentContext, 'db' | 'blockchain'>,
  writes: readonly WriteJob[],
  unmined: readonly OwnTransaction[],
): Promise<void> {
  const unsent = new Set(unmined.filter(({ attempts }) => attempts === 0).map(({ itemId }) => itemId))
  const isWhole = ({ itemId, nextIndex, transactions }: WriteJob) =>
    transactions !== undefined && nextIndex >= transactions && !unsent.has(itemId)
  const untold = ids(writes.filter((write) => write.message !== WRITING_STOPPED && !isWhole(write)))
  const refused = await selectFailedIds(db, blockchain, 'refused', untold)
  const told = untold.filter((id) => !refused.has(id))
  if (told.length > 0) await updateWaitingMessage(db, told, WRITING_STOPPED)
}

function ids(writes: readonly WriteJob[]): string[] {
  return writes.map(({ itemId }) => itemId)
}
