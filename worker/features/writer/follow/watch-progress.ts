import type { AgentContext } from '../../../chain/follower/agent-context.ts'
import { assertTipStatement, type BlockPosition } from '../../../chain/follower/blocks.ts'
import {
  assertNoIncidentStatement,
  deleteIncidentStatement,
  insertIncidentStatement,
  selectIncidents,
} from '../../../chain/follower/incidents.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { notifyOperatorsStatements } from '../../auth/sql/operator-notices.ts'
import { hasWrites } from '../../items/sql/writes.ts'
import { mostConfirmations } from '../../payments/confirmations-above.ts'
import { WITHDRAWALS_WAIT } from '../../payouts/pay/send-withdrawals.ts'
import { selectUnsigned } from '../../payouts/sql/withdrawals.ts'
import { type NotMoved, noteProgressStatements, type ProgressKind, selectNotMoved } from '../sql/progress.ts'

/** Blocks without progress after which operators are notified: six hours of Bitcoin, in which a usual spike of fees ends. */
const NOT_MOVED_BLOCKS = 36

/** One of a kind, and several, as operators read it. */
const NAMES: Record<ProgressKind, [string, string]> = {
  item: ['paid item', 'paid items'],
  withdrawal: ['withdrawal', 'withdrawals'],
  tx_chain: ['chain of transactions', 'chains of transactions'],
  deposit: ['deposit', 'deposits'],
}

const WHAT_TO_DO = [
  'GET /v0/operate/health and GET /v0/operate/failed-records show what is waiting and what to do.',
  'Where fees are above what was paid, it continues automatically when they fall. Where coins are missing, send some to the wallet: as many as tx chains at least. Otherwise compare the mempool of the node (getrawmempool) and its height with those of others: it may not send what it takes, or not follow the chain.',
]

const WITHDRAWAL_TO_DO =
  'A withdrawal whose coin comes from a transaction that left the chain waits for that transaction: it may be mined again, and the withdrawal with it. Send it again (sendrawtransaction), to other nodes too. Where it can never be mined, abandon it at the wallet (abandontransaction), and end the withdrawal: POST /v0/operate/withdrawal/<id> with "refund" or "paid_elsewhere".'

function isWithdrawal({ kind }: NotMoved): boolean {
  return kind === 'withdrawal'
}

/** How many of a kind have not moved, and one of them with what it waits for. */
function describe({ kind, count, id, reason }: NotMoved): string {
  return `${count} ${NAMES[kind][count === 1 ? 0 : 1]} (${reason === null ? id : `${id}: ${reason}`})`
}

/**
 * Records the progress of items, withdrawals, tx chains and deposits; to be called once for each block. If some made none for {@link NOT_MOVED_BLOCKS}, operators are notified by event, webhook and mail, once until all have made progress again.
 */
export async function watchProgress(context: AgentContext, tip: BlockPosition): Promise<void> {
  const { db, blockchain, config, now } = context
  const { height } = tip
  // A deposit that is deep enough is credited by the first step that finds it so.
  const deep = height - mostConfirmations(config.chains[blockchain])
  const noted = await batchIf(db, [
    assertTipStatement(db, blockchain, tip),
    ...noteProgressStatements(db, blockchain, { height, deep }),
  ])
  if (!noted) return
  const late = await selectNotMoved(db, blockchain, height - NOT_MOVED_BLOCKS)
  const open = new Map((await selectIncidents(db, blockchain)).map(({ code, reason }) => [code, reason]))
  const full = open.get('tx_chains_full')
  const isOver =
    full === WITHDRAWALS_WAIT
      ? (await selectUnsigned(db, blockchain, 1)).length === 0
      : full !== undefined && !(await hasWrites(db, blockchain))
  if (isOver) await deleteIncidentStatement(db, blockchain, 'tx_chains_full').run()
  if (late.length === 0 && open.has('not_moved')) await deleteIncidentStatement(db, blockchain, 'not_moved').run()
  if (late.length === 0) return
  const what = late.map(describe).join(', ')
  const reason = `not moved for ${NOT_MOVED_BLOCKS} blocks: ${what}`
  const incident = { code: 'not_moved', reason, since: now } as const
  if (open.has('not_moved')) {
    if (open.get('not_moved') !== reason) await insertIncidentStatement(db, blockchain, incident).run()
    return
  }
  const told = await batchIf(db, [
    assertNoIncidentStatement(db, blockchain, 'not_moved'),
    insertIncidentStatement(db, blockchain, incident),
    ...notifyOperatorsStatements(db, {
      ...{ type: 'chain.not_moved', subject: blockchain, at: now },
      data: JSON.stringify({
        ...{ blockchain, blocks: NOT_MOVED_BLOCKS },
        records: late.map(({ kind, count, id }) => ({ kind, count, id })),
      }),
      lines: [`${blockchain}: ${reason}.`, ...WHAT_TO_DO, ...(late.some(isWithdrawal) ? [WITHDRAWAL_TO_DO] : [])],
    }),
  ])
  if (told) console.error('not_moved', blockchain, reason)
}
