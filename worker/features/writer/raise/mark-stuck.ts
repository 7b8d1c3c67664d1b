import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import { mustWait, recordFailure } from '../../../chain/follower/each-record.ts'
import { selectFailedRecords } from '../../../chain/follower/failed-records.ts'
import { updateWaitingMessage } from '../../items/sql/items.ts'
import { BEING_WRITTEN } from '../../items/sql/move-items.ts'
import type { WriteJob } from '../../items/sql/writes.ts'
import type { OwnTransaction } from '../../transactions/sql/transactions.ts'

const PAYS_TOO_LITTLE =
  'Paid. Its transactions wait: they pay less than the network asks now, and can pay no more. They are mined when fees fall.'

/**
 * Records a tx chain that is stuck and can't pay more as failed, with `reason` for the operator, and notifies the payers of its
 * transactions `own`. It is retried after its backoff.
 */
export async function markStuck(
  context: AgentContext,
  txChain: number,
  own: readonly OwnTransaction[],
  reason: string,
): Promise<void> {
  const { db, blockchain, now } = context
  const row = (await selectFailedRecords(db, blockchain, 'tx_chain')).find(({ id }) => id === String(txChain))
  if (row && mustWait(row, now)) return
  await recordFailure(context, 'tx_chain', String(txChain), new Error(reason), row?.tries)
  await updateWaitingMessage(db, [...new Set(own.flatMap(({ itemId }) => itemId ?? []))], PAYS_TOO_LITTLE)
}

/** Notifies the payers of items that waited in such a tx chain, and of which no transaction is unmined any more, that writing continues. */
export async function notifyUnblocked(
  { db }: Pick<AgentContext, 'db'>,
  writes: readonly Pick<WriteJob, 'itemId' | 'message'>[],
  unmined: readonly Pick<OwnTransaction, 'itemId'>[],
): Promise<void> {
  const waiting = new Set(unmined.map(({ itemId }) => itemId))
  const freed = writes.filter(({ itemId, message }) => message === PAYS_TOO_LITTLE && !waiting.has(itemId))
  const ids = freed.map(({ itemId }) => itemId)
  if (ids.length > 0) await updateWaitingMessage(db, ids, BEING_WRITTEN)
}
