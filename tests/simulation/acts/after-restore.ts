import { toHex } from '../../../protocol/bytes.ts'
import { decideWithdrawal } from '../../../worker/features/operate/decide-withdrawal.ts'
import { requireAssigned, stopChain } from '../../../worker/features/operate/stop-chain.ts'
import { assignSend } from '../../../worker/features/payouts/restore/assign-send.ts'
import { PERHAPS_PAID } from '../../../worker/features/payouts/sql/withdrawal-labels.ts'
import { selectUnassigned } from '../../../worker/features/transactions/sql/sends.ts'
import { mine } from '../mine.ts'
import { noteAsked, transactionOf } from '../note-history.ts'
import { contextOf, endingOf, requestApi, runAlarm, wakeAgent } from '../run-service.ts'
import type { Model, World } from '../world.ts'

/** Takes the database back to a moment that was noted, one of all or that at `at`; what it does not know any more is noted. */
export function restoreAt(world: World, at = world.random.integer(0, world.moments.length - 1)): void {
  const { d1, moments, stage } = world
  const moment = moments[at]
  if (moment === undefined) return
  noteAsked(world)
  const before = new Set([...world.sent, ...txidsOf(world)])
  d1.restore(moment)
  moments.length = at + 1
  world.restores++
  const known = new Set(d1.rows('SELECT id FROM withdrawals').map(({ id }) => id))
  for (const id of world.asked.keys()) if (!known.has(id)) world.lostWithdrawals.add(id)
  const left = txidsOf(world)
  for (const txid of before) if (!left.has(txid)) world.lostTransactions.add(txid)
  for (const txid of left) world.lostTransactions.delete(txid)
  // When it first came nobody knows any more: neither the database, nor the wallet, which forgot it, too.
  for (const txid of world.forgotten)
    if (d1.rows('SELECT 1 FROM outputs WHERE txid = ?', txid).length === 0) world.unheard.add(txid)
  const causes = new Set(d1.rows('SELECT cause FROM ledger').map(({ cause }) => String(cause)))
  for (const cause of world.paidByKey.keys()) if (!causes.has(cause)) world.paidByKey.delete(cause)
  const when = stage.task ? ', between two calls' : ''
  stage.log.push(`the database is restored${when}: ${before.size - left.size} transactions are lost`)
}

function txidsOf({ d1 }: World): Set<string> {
  return new Set(d1.rows('SELECT txid FROM transactions').map(({ txid }) => String(txid)))
}

/** Whether payouts are stopped because something left the wallet that the database does not explain. */
export function isUnexplained({ d1 }: World): boolean {
  return d1.rows(`SELECT 1 FROM stops WHERE cause = 'sends'`).length > 0
}

/** Whether payouts wait for an operator to look up what left the wallet: that something did, or may have. */
export function waitForLookup({ d1 }: World): boolean {
  return d1.rows(`SELECT 1 FROM stops WHERE cause IN ('restored', 'sends')`).length > 0
}

/** What an operator does about it: assigns all that left the wallet and that the database does not know, and lets payouts go on. */
export async function settleRestore(world: World): Promise<void> {
  const { d1, blockchain } = world
  const context = { ...contextOf(world), ...endingOf(world) }
  await requestApi(world, async () => {
    for (const { txid } of await selectUnassigned(d1, 100, blockchain)) {
      const order = orderOf(world, txid)
      world.stage.log.push(`operator: assigns ${txid} as ${order.as}`)
      await requestApi(world, () => assignSend(context, txid, order, () => []))
    }
  })
  await requestApi(world, async () => {
    for (const { id, state } of d1.rows('SELECT id, state FROM withdrawals WHERE reason = ?', PERHAPS_PAID)) {
      const act = actFor(world, String(id))
      if (!act || (act === 'approve' && state !== 'held')) continue
      world.stage.log.push(`operator: ${act} ${id}, which the wallet has a label of`)
      await requestApi(world, () => decideWithdrawal({ ...context, record: () => [] }, String(id), act))
    }
  })
  await requestApi(world, async () => {
    await requireAssigned(context, blockchain)
    await stopChain({ db: d1, now: context.now, record: () => [] }, blockchain, {
      ...{ payouts: false, writing: false, reason: 'looked up' },
    })
  })
}

/** What the operator finds that a transaction was: a payout of the service's, its own, or somebody else's with the wallet. */
function orderOf(world: World, txid: string) {
  const outputs = transactionOf(world, txid)?.outputs ?? []
  const paid = [...world.asked.values()].find(({ script, amount }) =>
    outputs.some((output) => output.value === amount && toHex(output.script) === script),
  )
  if (!paid || world.sweeps.has(txid)) return { as: 'foreign' as const, account: undefined, amount: undefined }
  const { userId, amount } = paid
  if (userId === 'service') return { as: 'sweep' as const, account: undefined, amount }
  return { as: 'withdrawal' as const, account: userId, amount }
}

/** What the operator does about a withdrawal that may have been paid or ended before the restore: nothing where it may be mined yet. */
function actFor(world: World, id: string): 'approve' | 'refund' | 'paid_elsewhere' | undefined {
  const ended = world.ended.get(id)
  if (ended !== undefined) return ended === 'paid_elsewhere' ? ended : 'refund'
  const asked = world.asked.get(id)
  const isSent = [...world.sent].some((txid) =>
    transactionOf(world, txid)?.outputs.some(
      ({ value, script }) => value === asked?.amount && toHex(script) === asked.script,
    ),
  )
  return isSent ? undefined : 'approve'
}

/** An operator who looks up after a restore, now and then, and in the end, what left the wallet since. */
export const lookedUp = {
  acts(world: World) {
    return world.restores > 0 && world.random.chance(0.2) ? [() => settleRestore(world)] : []
  },
  async end(world: World) {
    for (let round = 0; round < 3; round++) {
      await world.stage.run([() => wakeAgent(world)])
      await world.stage.run([() => runAlarm(world)])
      await world.stage.run([() => settleRestore(world)])
      mine(world)
      world.now += 2_000
    }
  },
} satisfies Partial<Model>
