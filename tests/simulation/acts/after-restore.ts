import { toHex } from '../../../protocol/bytes.ts'
import { requireAssigned, stopChain } from '../../../worker/features/operate/stop-chain.ts'
import { assignSend } from '../../../worker/features/payouts/restore/assign-send.ts'
import { selectUnassigned } from '../../../worker/features/transactions/sql/sends.ts'
import { noteAsked, transactionOf } from '../note-history.ts'
import { contextOf, endingOf, requestApi } from '../run-service.ts'
import type { World } from '../world.ts'

/** Takes the database back to a moment that was noted; what it does not know any more is noted. */
export function restoreAt(world: World): void {
  const { d1, random, moments, stage } = world
  const at = random.integer(0, moments.length - 1)
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
      const order = { as: kindOf(world, txid), account: undefined, amount: undefined }
      world.stage.log.push(`operator: assigns ${txid} as ${order.as}`)
      await requestApi(world, () => assignSend(context, txid, order, () => []))
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
function kindOf(world: World, txid: string): 'withdrawal' | 'sweep' | 'foreign' {
  const outputs = transactionOf(world, txid)?.outputs ?? []
  const paid = [...world.asked.values()].find(({ script, amount }) =>
    outputs.some((output) => output.value === amount && toHex(output.script) === script),
  )
  if (!paid || world.sweeps.has(txid)) return 'foreign'
  return paid.userId === 'service' ? 'sweep' : 'withdrawal'
}
