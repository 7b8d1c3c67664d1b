import { concatBytes, fromHex, toHex } from '../../protocol/bytes.ts'
import { CHAINS } from '../../protocol/chains.ts'
import { decodeContentIndex } from '../../protocol/content-index.ts'
import { opReturnData } from '../../protocol/op-return.ts'
import { decodeTransaction } from '../../protocol/transaction.ts'
import { WINDOW } from '../../worker/chain/follower/blocks.ts'
import { TXIDS } from '../../worker/features/items/sql/txids.ts'
import { PAYOUTS_STOPPED } from '../../worker/features/payouts/pay/prepare-payout.ts'
import { checkPaidAreKnown } from './check-payouts.ts'
import { type MissingCredit, withoutSmall } from './small-deposits.ts'
import type { World } from './world.ts'

/**
 * Everything that has to be true of a service whose chain has come to rest; each breach is a sentence. The chain is
 * asked itself, not the service's records of it.
 */
export function checkInvariants(world: World): string[] {
  return [
    ...checkLedger(world),
    ...checkCredits(world),
    ...checkItems(world),
    ...checkWithdrawalsEnded(world),
    ...checkPaidAreKnown(world),
    ...checkSignedBytes(world),
    ...world.problems,
  ]
}

/** Each entry of the ledger follows from the one before, and each settled request was debited once. */
export function checkLedger({ d1 }: World): string[] {
  const problems: string[] = []
  const ends = new Map<string, { seq: number; balance: bigint }>()
  const debits = new Map<unknown, unknown[]>()
  for (const row of d1.rows('SELECT * FROM ledger ORDER BY user_id, blockchain, seq')) {
    const key = `${row.user_id} ${row.blockchain}`
    const end = ends.get(key) ?? { seq: 0, balance: 0n }
    const balance = end.balance + BigInt(String(row.amount))
    if (Number(row.seq) !== end.seq + 1) problems.push(`ledger of ${key} skips from ${end.seq} to ${row.seq}`)
    if (balance !== BigInt(String(row.balance))) problems.push(`ledger of ${key} is wrong at ${row.seq}`)
    if (balance < 0n) problems.push(`ledger of ${key} is below zero at ${row.seq}`)
    ends.set(key, { seq: Number(row.seq), balance })
    debits.set(row.cause, [...(debits.get(row.cause) ?? []), row.amount])
  }
  for (const request of d1.rows('SELECT * FROM payment_requests')) {
    const paid = debits.get(`request:${request.id}`) ?? []
    const settled = request.state === 'settled'
    if (paid.length !== (settled ? 1 : 0)) problems.push(`request ${request.state} has ${paid.length} debits`)
    if (settled && paid[0] !== `-${request.amount}`) problems.push(`request ${request.id} paid another amount`)
  }
  return problems
}

/** Money on the chain that pays an address of ours against money in the ledger. */
function checkCredits({ d1, node, blockchain, config, given }: World): string[] {
  const problems: string[] = []
  const { confirmations, minDeposit } = config.chains[blockchain]
  const missing: MissingCredit[] = []
  const maturity = Math.max(confirmations, CHAINS[blockchain].coinbaseMaturity)
  const waiting = new Set(
    d1.rows(`SELECT address FROM payment_requests WHERE state IN ('open', 'seen')`).map(({ address }) => address),
  )
  const credits = new Map(
    d1.rows(`SELECT * FROM ledger WHERE cause LIKE 'output:%'`).map((row) => [String(row.cause), row]),
  )
  for (const { transaction, block } of node.chain.confirmed.values()) {
    transaction.outputs.forEach(({ value, script }, vout) => {
      const owner = given.get(toHex(script))
      // The key of an address is in a wallet that the operator has not put back: the node can't tell of its money.
      if (!owner || !node.wallets.get('')?.keyFor(script)) return
      const cause = `output:${transaction.txid}:${vout}`
      const credit = credits.get(cause)
      const deep = node.chain.height - block.height + 1 >= (transaction.coinbase ? maturity : confirmations)
      if (credit === undefined) {
        if (deep && !waiting.has(owner.address)) missing.push({ cause, owner, value })
        return
      }
      if (BigInt(String(credit.amount)) !== value) problems.push(`${cause} was credited with ${credit.amount}`)
      if (credit.user_id !== owner.user_id) problems.push(`${cause} was credited to somebody else`)
    })
  }
  return [...problems, ...withoutSmall(missing, minDeposit).map((cause) => `${cause} was never credited`)]
}

/** Whether what is left of an item waits, as an operator is shown, for a tx chain that can pay no more: its end is spent otherwise. */
function waitsInTxChain({ d1 }: World, itemId: string): boolean {
  const sql = `SELECT 1 FROM transactions JOIN failed_records ON
      (kind = 'tx_chain' AND failed_records.id = CAST(tx_chain AS TEXT)) OR
      (kind = 'refused' AND failed_records.id = item_id AND reason LIKE 'The node refuses what would pay more%')
    WHERE item_id = ? AND transactions.state = 'sent'`
  return d1.rows(sql, itemId).length > 0
}

function checkItems(world: World): string[] {
  const { d1, node, expected } = world
  const problems: string[] = []
  const items = d1.rows(`SELECT items.*, writes.state AS write_state, ${TXIDS} AS txids FROM items
    LEFT JOIN writes ON writes.item_id = items.id LEFT JOIN item_txids AS t ON t.item_id = items.id`)
  for (const item of items) {
    const name = `item ${item.id} (${item.status}, ${item.write_state})`
    const paid = d1.rows(
      `SELECT 1 FROM payment_request_items JOIN payment_requests ON id = request_id
       WHERE item_id = ? AND state = 'settled'`,
      String(item.id),
    ).length
    if (paid > 1) problems.push(`${name} was paid ${paid} times`)
    const written = item.status === 200 || item.status === 409 || item.status === 202
    if (written !== (paid === 1)) problems.push(`${name} and its payment disagree`)
    if (item.status === 202 && !waitsInTxChain(world, String(item.id)))
      problems.push(`${name} was neither written nor stopped`)
    if (item.status === 409 && !item.message) problems.push(`${name} gives no reason`)
    const isLost =
      world.restores > 0 && String(item.message).startsWith('The signed bytes of its transactions are gone')
    if (item.status === 409 && !isLost && isBacked(world, String(item.id)))
      problems.push(`${name} has no need: ${item.message}`)
    if (item.status !== 200) continue
    const txids = String(item.txids).match(/.{64}/g) ?? []
    const content = expected.get(String(item.id))
    const data = txids.map((txid) => dataOf(world, txid))
    if (data.some((part) => part === undefined)) problems.push(`${name} has transactions off the best chain`)
    else if (!content || toHex(concatBytes(data.map((part) => part ?? new Uint8Array(0)))) !== toHex(content)) {
      problems.push(`${name} holds other content`)
    }
    problems.push(...checkIndex(world, item, txids))
    if (item.written !== txids.length || item.confirmed !== txids.length) problems.push(`${name} shows wrong progress`)
  }
  const carried = new Map<string, number>()
  for (const txid of node.chain.confirmed.keys()) {
    // What a restored database does not know of is written anew.
    const data = world.lostTransactions.has(txid) ? undefined : dataOf(world, txid)
    if (data) carried.set(toHex(data), (carried.get(toHex(data)) ?? 0) + 1)
  }
  for (const [hex, count] of carried) {
    // Pieces of a few bytes may be equal by chance.
    if (count > 1 && hex.length >= 16) problems.push(`${hex} was written ${count} times`)
  }
  return problems
}

/** A stored item that is to have an index has it: one transaction on the best chain, which names its txids. */
function checkIndex(world: World, item: Record<string, unknown>, txids: readonly string[]): string[] {
  const { d1 } = world
  if (item.indexed !== 1 || txids.length < 2) return []
  const name = `the index of item ${item.id}`
  const live = d1.rows(`SELECT item_id, state FROM writes WHERE index_of = ? AND state != 'done'`, String(item.id))
  if (live.length > 1) return [`${name} is written ${live.length} times at once`]
  const [write] = live
  if (item.index_txid === null) {
    if (write?.state === 'parked' || write?.state === 'paused') return []
    return write && waitsInTxChain(world, String(write.item_id)) ? [] : [`${name} was not written`]
  }
  world.count('a paid index names the txids of its item')
  const data = dataOf(world, String(item.index_txid))
  const parts = data && decodeContentIndex(data)?.parts
  return parts?.join() === txids.join() ? [] : [`${name} names other txids, or is off the best chain`]
}

/**
 * A withdrawal at rest is on the chain, with what it was asked for, is over, or a reason is shown to the operator, and to its owner
 * where it has no transaction.
 */
function checkWithdrawalsEnded(world: World): string[] {
  const { d1, node, config, blockchain } = world
  const { confirmations } = config.chains[blockchain]
  return d1.rows('SELECT * FROM withdrawals').flatMap((row) => {
    const name = `withdrawal ${row.id} (${row.state})`
    const paying = [...node.chain.confirmed.values()].filter(({ transaction }) =>
      transaction.outputs.some(({ script, value }) => toHex(script) === row.script && String(value) === row.amount),
    )
    const depths = paying.map(({ block }) => node.chain.confirmations(block))
    if (row.state === 'confirmed') {
      return depths.some((depth) => depth >= confirmations) ? [] : [`${name} is not on the chain`]
    }
    if (row.state === 'cancelled' || row.state === 'refunded' || row.state === 'paid_elsewhere') return []
    const isLive =
      d1.rows(`SELECT 1 FROM transactions WHERE withdrawal_id = ? AND state != 'dead'`, String(row.id)).length > 0
    if (row.reason === PAYOUTS_STOPPED && d1.rows(`SELECT 1 FROM stops WHERE part = 'payouts'`).length === 0)
      return [`${name} says that payouts are stopped, which they are not`]
    const aside = d1.rows(`SELECT 1 FROM failed_records WHERE id = ? OR kind = 'tx_chain'`, String(row.id)).length > 0
    // Money that the chain took back is not paid out.
    if (row.state === 'waiting' && !hasMoney(world, String(row.user_id))) return []
    return row.reason || (aside && isLive) ? [] : [`${name} is neither paid nor says why`]
  })
}

/** Blocks within which what is signed is sent here: the bytes of what is given up are stored for a time from when they were signed. */
const SENT_WITHIN = 40

/** What a transaction refers to is there, and nothing is there that was not recorded. */
function checkSignedBytes({ d1, r2, restores }: World): string[] {
  const kept = new Set([...r2.objects.keys()].filter((key) => key.startsWith('writer/')))
  const recorded = new Set(d1.rows('SELECT bundle FROM signed_bundles').map((row) => String(row.bundle)))
  // Of what no reorganisation reaches the bytes are deleted, and the rows of payouts and of what was given up stay.
  const tip = '(SELECT MAX(height) FROM blocks WHERE blockchain = own.blockchain)'
  const needed = d1
    .rows(
      `SELECT DISTINCT bundle FROM transactions AS own WHERE bundle != ''
         AND IIF(dead = 0, IFNULL(block_height, ${tip}), sent_height - ${SENT_WITHIN}) > ${tip} - ?`,
      WINDOW,
    )
    .map((row) => String(row.bundle))
  // Bytes of what had ended are deleted, and a restored database may not know that.
  const gone = restores > 0 ? [] : needed.filter((bundle) => !kept.has(bundle))
  const lost = gone.map((bundle) => `${bundle} is referred to and gone`)
  const useless = [...kept].filter((bundle) => !recorded.has(bundle))
  return [...lost, ...useless.map((bundle) => `${bundle} is of no use and was not swept`)]
}

/** Whether the money that an item was paid with is on the chain; nothing else stops an item in this world. */
function isBacked(world: World, itemId: string): boolean {
  const [request] = world.d1.rows(
    `SELECT payment_requests.* FROM writes JOIN payment_requests ON id = request_id WHERE item_id = ?`,
    itemId,
  )
  return hasMoney(world, String(request?.user_id))
}

/** Whether all that a user was credited with is on the chain. */
function hasMoney({ d1, node }: World, userId: string): boolean {
  const credits = d1.rows(`SELECT cause, amount FROM ledger WHERE user_id = ? AND cause LIKE 'output:%'`, userId)
  const gone = credits.filter(({ cause }) => !node.chain.confirmed.has(String(cause).split(':')[1] ?? ''))
  return gone.length === 0
}

function dataOf({ node }: World, txid: string): Uint8Array | undefined {
  const confirmed = node.chain.confirmed.get(txid)
  if (!confirmed || confirmed.transaction.coinbase) return undefined
  const { outputs } = decodeTransaction(fromHex(toHex(confirmed.transaction.raw)) ?? new Uint8Array(0))
  const pushes = opReturnData(outputs.map(({ script }) => script))
  return pushes && concatBytes(pushes)
}
