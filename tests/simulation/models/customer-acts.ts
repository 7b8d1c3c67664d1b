import { consentToFee } from '../../../worker/features/payouts/ask/consent-to-fee.ts'
import { cancelWithdrawal } from '../../../worker/features/payouts/end/end-withdrawal.ts'
import { contextOf, endingOf, requestApi } from '../run-service.ts'
import { withdraw, withdrawalOf } from '../user-acts.ts'
import type { Model, World } from '../world.ts'

/** Customers who pay one another out of their balances, take withdrawals back, and agree to higher fees. */
export const customerActs: Model = {
  money: true,
  happen() {},
  acts(world) {
    const { random } = world
    if (!random.chance(0.6)) return []
    const kind = random.pick(['pay', 'pay', 'pay', 'cancel', 'cancel', 'consent'] as const)
    if (kind === 'pay') return payOther(world)
    const [id, userId] = pickWithdrawal(world)
    if (id === undefined || userId === undefined) return []
    const context = contextOf(world)
    if (kind === 'consent') {
      const order = { id, maxFee: 10n ** 12n }
      return [() => requestApi(world, () => consentToFee(context, userId, order))]
    }
    return [
      () =>
        requestApi(world, async () => {
          const ending = endingOf(world)
          await ending.noticeRestore(world.blockchain)
          await cancelWithdrawal(ending, userId, id)
        }),
    ]
  },
}

/** Takes money out to an address that was given to a customer, be it another or the same one. */
function payOther(world: World): (() => Promise<void>)[] {
  const { random, d1 } = world
  const to = random.pick(d1.rows('SELECT address FROM addresses ORDER BY rowid'))?.address
  const order = withdrawalOf(world, random)
  if (typeof to !== 'string' || !order) return []
  // No two of one address are alike.
  const amount = order.amount - BigInt(random.integer(1, 50_000))
  return amount < 2_000_000n ? [] : [() => withdraw(world, { ...order, amount, to })]
}

function pickWithdrawal({ d1, random }: World): [string?, string?] {
  const sql = `SELECT id, user_id FROM withdrawals WHERE state IN ('waiting', 'held', 'failed', 'sent') ORDER BY rowid`
  const found = random.pick(d1.rows(sql))
  return found ? [String(found.id), String(found.user_id)] : []
}
