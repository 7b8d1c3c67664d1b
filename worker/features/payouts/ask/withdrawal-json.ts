import { unixSeconds } from '../../../platform/clock.ts'
import { coinsJson } from '../../../platform/http/coins-json.ts'
import type { AskedWithdrawal, ListedWithdrawal } from '../sql/withdrawals.ts'

/** What is shown of a withdrawal. */
type ShownWithdrawal = AskedWithdrawal & Pick<ListedWithdrawal, 'state' | 'reason' | 'since' | 'txid' | 'blockHeight'>

/** A withdrawal as the API answers it, as JSON text; `tipHeight` is the highest block that is followed, if any is. */
export function withdrawalJson(withdrawal: ShownWithdrawal, tipHeight?: number): string {
  const { id, blockchain, address, state, reason, since, txid, blockHeight, amount, fee, createdAt } = withdrawal
  const depth = blockHeight === undefined || tipHeight === undefined ? 0 : Math.max(0, tipHeight - blockHeight + 1)
  const message = state === 'failed' ? (reason ?? 'It could not be sent. The operator has to decide about it.') : reason
  const fields = {
    ...{ id, blockchain, address, state, txid: txid ?? null, depth },
    ...(message === undefined ? {} : { message }),
    ...(message === undefined || since === undefined ? {} : { since: unixSeconds(since) }),
    createdAt: unixSeconds(createdAt),
  }
  return coinsJson(fields, { amount, fee })
}
