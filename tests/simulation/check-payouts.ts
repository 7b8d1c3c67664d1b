import { toHex } from '../../protocol/bytes.ts'
import type { AskedPayout } from './records.ts'
import type { World } from './world.ts'

/**
 * No withdrawal that was ever asked for is paid twice, whatever the database was restored to; none is paid that was given back or paid
 * elsewhere; and each that the database has was debited once from whom it is of, fee and all.
 */
export function checkPayouts(world: World): string[] {
  const paid = countPaid(world)
  const rows = new Map(world.d1.rows('SELECT * FROM withdrawals').map((row) => [String(row.id), row]))
  const moves = Map.groupBy(
    world.d1.rows(`SELECT user_id, amount, cause FROM ledger WHERE cause LIKE 'withdrawal%'`),
    ({ cause }) => withdrawalOf(String(cause)),
  )
  return [...world.asked.values()].flatMap((asked) => {
    const { id, amount } = asked
    const times = paid.get(nameOf(asked)) ?? 0
    const row = rows.get(id)
    if (times > 0) world.count('a withdrawal is paid once')
    return [
      ...(times > 1 ? [`withdrawal ${id} was paid ${times} times`] : []),
      ...(times > 0 && world.ended.has(id) ? [`withdrawal ${id} was ${world.ended.get(id)} and is paid`] : []),
      ...(row === undefined || BigInt(String(row.amount)) === amount ? [] : [`withdrawal ${id} has another amount`]),
      ...(row === undefined ? [] : [...checkDebits(world, row, moves.get(id) ?? []), ...checkConfirmed(world, row)]),
    ]
  })
}

/** At rest: what left the wallet for others is in the ledger, whatever the database was restored to. */
export function checkPaidAreKnown(world: World): string[] {
  const paid = countPaid(world)
  const known = world.d1.rows('SELECT id, script, amount, state FROM withdrawals')
  const rows = new Map(known.map(({ id, state }) => [String(id), state]))
  // One that bucket and database have lost is written down again with another id.
  const assigned = new Map(
    known.map(({ script, amount, state }) => [
      nameOf({ script: String(script), amount: BigInt(String(amount)) }),
      state,
    ]),
  )
  // Where the wallet was replaced, too, neither it nor the database knows: an operator is told which payout it was.
  const shown = world.d1.rows(`SELECT id, reason FROM failed_records WHERE kind = 'withdrawal'`)
  return [...world.asked.values()].flatMap((asked) => {
    if (!paid.has(nameOf(asked))) return []
    const state = rows.get(asked.id) ?? assigned.get(nameOf(asked))
    world.count('what left the wallet is in the books')
    const isTold = shown.some(({ id, reason }) => id === asked.id && /Its last payout was \w{64}/.test(String(reason)))
    const isKnown = state === 'sent' || state === 'confirmed' || (state === 'waiting' && isTold)
    return isKnown ? [] : [`withdrawal ${asked.id} was paid and is ${state}`]
  })
}

/** How often transactions of the service in blocks pay each script each amount. */
function countPaid({ node, sent, payments }: World): Map<string, number> {
  const others = new Set(payments.map(({ txid }) => txid))
  const counts = new Map<string, number>()
  for (const txid of sent) {
    const transaction = others.has(txid) ? undefined : node.chain.confirmed.get(txid)?.transaction
    for (const { script, value } of transaction?.outputs ?? []) {
      const name = nameOf({ script: toHex(script), amount: value })
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return counts
}

function nameOf({ script, amount }: Pick<AskedPayout, 'script' | 'amount'>): string {
  return `${script} ${amount}`
}

/** A withdrawal is confirmed when what pays it was as deep as it has to be. */
function checkConfirmed({ d1, depths, config, blockchain }: World, row: Record<string, unknown>): string[] {
  if (row.state !== 'confirmed') return []
  const sql = `SELECT txid FROM transactions WHERE withdrawal_id = ? AND state = 'mined'`
  const deepest = Math.max(0, ...d1.rows(sql, String(row.id)).map(({ txid }) => depths.get(String(txid)) ?? 0))
  const isDeep = deepest >= config.chains[blockchain].confirmations
  return isDeep ? [] : [`withdrawal ${row.id} was confirmed and never deeper than ${deepest}`]
}

type Move = Record<string, unknown>

/** The id of the withdrawal that a ledger entry belongs to: of its amount, its fee, what was consented to later, or its refund. */
function withdrawalOf(cause: string): string | undefined {
  const [, id] = /^withdrawal(?:-fee|-refund)?:([^:]+)$/.exec(cause) ?? /^withdrawal-fee:([^:]+):/.exec(cause) ?? []
  return id
}

/** The moves of a withdrawal are its amount and its fee, less what was given back, or what is booked as loss. */
function checkDebits({ d1, lostWithdrawals }: World, row: Record<string, unknown>, moves: readonly Move[]): string[] {
  const { id, user_id, amount, fee, state } = row
  const moved = moves.reduce((sum, move) => sum + BigInt(String(move.amount)), 0n)
  const isBack = state === 'cancelled' || state === 'refunded'
  const due = user_id === 'service' || isBack ? 0n : -(BigInt(String(amount)) + BigInt(String(fee)))
  // Of a fee that had risen before the restore, the balance may have lacked a part.
  const sends = d1.rows(
    'SELECT loss FROM sends JOIN transactions USING (blockchain, txid) WHERE withdrawal_id = ?',
    String(id),
  )
  const loss = sends.reduce((sum, row) => sum + BigInt(String(row.loss)), 0n)
  const isWhole = lostWithdrawals.has(String(id)) ? moved >= due && moved <= 0n : moved === due + (isBack ? 0n : loss)
  return [
    ...(isWhole ? [] : [`withdrawal ${id} (${state}) moved ${moved}, not ${due}`]),
    ...(moves.every((move) => move.user_id === user_id) ? [] : [`withdrawal ${id} was debited from somebody else`]),
  ]
}
