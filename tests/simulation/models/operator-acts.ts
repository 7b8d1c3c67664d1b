import { decideWithdrawal } from '../../../worker/features/operate/decide-withdrawal.ts'
import { stopChain } from '../../../worker/features/operate/stop-chain.ts'
import { PERHAPS_PAID } from '../../../worker/features/payouts/sql/withdrawal-labels.ts'
import { pickAct } from '../acts/operator-acts.ts'
import { contextOf, endingOf, requestApi } from '../run-service.ts'
import type { Model } from '../world.ts'

/** An operator who stops and releases, decides about withdrawals, credits and debits, writes off, sweeps, gathers and searches anew. */
export const operatorActs: Model = {
  money: true,
  settings: (random, suffix) =>
    random.chance(0.5) ? {} : { [`PAYOUT_PER_DAY_${suffix}`]: random.pick([',0.05', ',0.5', ',5']) ?? ',5' },
  happen() {},
  acts(world) {
    const act = world.random.chance(0.7) ? pickAct(world) : undefined
    return act ? [() => requestApi(world, act)] : []
  },
  async end(world) {
    const { d1, blockchain, stage } = world
    const context = contextOf(world)
    const { now } = context
    const order = { payouts: false, writing: false, reason: 'all is well' }
    const resume = () => stopChain({ db: d1, now, record: () => [] }, blockchain, order)
    await stage.run([() => requestApi(world, resume)])
    // What may have been paid or ended before a restore is looked up: settleRestore decides about it.
    for (const { id } of d1.rows(`SELECT id FROM withdrawals WHERE state = 'held' AND reason <> ?`, PERHAPS_PAID)) {
      await stage.run([
        () =>
          requestApi(world, () => decideWithdrawal({ ...endingOf(world), record: () => [] }, String(id), 'approve')),
      ])
    }
  },
}
