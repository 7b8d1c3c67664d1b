import { formatAmount } from '../../../protocol/amount.ts'
import { insertEventStatement, type NewEvent } from '../../platform/records/event-queue.ts'
import type { EndedAs } from '../wallet/end-records.ts'
import type { Withdrawal } from './sql/withdrawals.ts'

type Told = Pick<Withdrawal, 'id' | 'userId' | 'blockchain' | 'address' | 'amount'>

/** The event for the owner of a withdrawal, with its `txid`, or the `reason` why it failed. Pure. */
export function withdrawalEvent(
  { id, userId, blockchain, address, amount }: Told,
  what: 'sent' | 'failed' | 'confirmed' | 'held' | EndedAs,
  now: number,
  more: { txid?: string; reason?: string } = {},
): NewEvent {
  const fields = JSON.stringify({ id, blockchain, address, ...more })
  const data = `${fields.slice(0, -1)},"amount":${formatAmount(amount)}}`
  return { userId, type: `withdrawal.${what}`, subject: id, data, at: now }
}

/** The statement that tells the owner of a withdrawal what became of it. */
export function withdrawalEventStatement(
  db: D1Database,
  ...told: Parameters<typeof withdrawalEvent>
): D1PreparedStatement {
  return insertEventStatement(db, withdrawalEvent(...told))
}
