import type { AgentContext } from '../chain-follower/agent-context.ts'
import { mustWait, setAside } from '../chain-follower/each-record.ts'
import { selectSetAside } from '../storage/chain/set-aside.ts'
import { updateWaitingMessage } from '../storage/items/items.ts'
import type { OwnTransaction } from '../storage/writes/transactions.ts'

const PAYS_TOO_LITTLE =
  'Paid. Its transactions wait: they pay less than the network asks now, and can pay no more. They are mined when fees fall.'

/**
 * Leaves a lane that is stuck and can't pay more as it is, its transactions being `own`: it is set aside with `reason` for the
 * operator, tried again after a wait, and the payers of what waits in it are told.
 */
export async function leaveLane(
  context: AgentContext,
  lane: number,
  own: readonly OwnTransaction[],
  reason: string,
): Promise<void> {
  const { db, blockchain, now } = context
  const row = (await selectSetAside(db, blockchain, 'lane')).find(({ id }) => id === String(lane))
  if (row && mustWait(row, now)) return
  await setAside(context, 'lane', String(lane), new Error(reason), row?.tries)
  await updateWaitingMessage(db, [...new Set(own.flatMap(({ itemId }) => itemId ?? []))], PAYS_TOO_LITTLE)
}
