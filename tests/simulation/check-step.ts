import { toHex } from '../../protocol/bytes.ts'
import { CHAINS } from '../../protocol/chains.ts'
import { feeFor } from '../../protocol/transaction-size.ts'
import { TXIDS } from '../../worker/features/items/sql/txids.ts'
import { checkLedger } from './check-invariants.ts'
import { checkKeys } from './check-keys.ts'
import { checkContent, checkPaid } from './check-paid.ts'
import { checkPayouts } from './check-payouts.ts'
import { noteAsked, noteDepths, transactionOf } from './note-history.ts'
import type { World } from './world.ts'

/** What has to be true after every turn, rest or not; each breach is a sentence. */
export function checkStep(world: World): string[] {
  noteDepths(world)
  noteAsked(world)
  return [
    ...checkLedger(world),
    ...checkPaid(world),
    ...checkContent(world),
    ...checkFees(world),
    ...checkPayouts(world),
    ...checkKeys(world),
    ...world.moves.takeProblems(),
    ...checkCreditsWereDeep(world),
    ...checkDebits(world),
    ...checkPublished(world),
    ...checkSupply(world),
  ]
}

/** What has to be true of a world at rest, beside its invariants: money in time has settled, whoever looked at it when. */
export function checkRest(world: World): string[] {
  return checkSettledInTime(world)
}

/** Every credit is of an output that was deep enough once, to whom its address is of, and of what it has. */
function checkCreditsWereDeep(world: World): string[] {
  const { d1, depths, config, blockchain } = world
  const { confirmations } = config.chains[blockchain]
  const owners = new Map(d1.rows('SELECT script, user_id FROM addresses').map((row) => [row.script, row.user_id]))
  return d1.rows(`SELECT cause, user_id, amount FROM ledger WHERE cause LIKE 'output:%'`).flatMap((credit) => {
    const [, txid = '', vout] = String(credit.cause).split(':')
    const transaction = transactionOf(world, txid)
    const output = transaction?.outputs[Number(vout)]
    const needed = transaction?.coinbase ? Math.max(confirmations, CHAINS[blockchain].coinbaseMaturity) : confirmations
    const depth = depths.get(txid) ?? 0
    const owner = owners.get(output ? toHex(output.script) : '')
    return [
      ...(depth >= needed ? [] : [`${credit.cause} was credited and never deeper than ${depth}`]),
      ...(credit.amount === String(output?.value) ? [] : [`${credit.cause} was credited with ${credit.amount}`]),
      ...(credit.user_id === owner ? [] : [`${credit.cause} was credited to somebody else`]),
    ]
  })
}

/** Every debit is of a request of that very user, of its amount, for items of that user; of a withdrawal; or an operator's. */
function checkDebits({ d1 }: World): string[] {
  const wrong = d1.rows(
    `SELECT ledger.cause FROM ledger LEFT JOIN payment_requests ON ledger.cause = 'request:' || payment_requests.id
     WHERE CAST(ledger.amount AS INTEGER) < 0 AND cause NOT LIKE 'manual:%' AND cause NOT LIKE 'write-off:%' AND NOT EXISTS (
         SELECT 1 FROM withdrawals
         WHERE cause IN ('withdrawal:' || id, 'withdrawal-fee:' || id) OR cause LIKE 'withdrawal-fee:' || id || ':%')
       AND (payment_requests.id IS NULL
       OR payment_requests.user_id != ledger.user_id OR '-' || payment_requests.amount != ledger.amount
       OR EXISTS (SELECT 1 FROM payment_request_items JOIN items ON items.id = item_id
         WHERE request_id = payment_requests.id AND items.user_id != ledger.user_id))`,
  )
  return wrong.map(({ cause }) => `the debit for ${cause} is not its payer's`)
}

/** Nothing is published before each of its transactions was as deep as it has to be. */
function checkPublished({ d1, depths, config, blockchain }: World): string[] {
  const needed = config.chains[blockchain].confirmations
  const rows = d1.rows(
    `SELECT items.id, status, ${TXIDS} AS txids FROM items JOIN item_txids AS t ON t.item_id = items.id`,
  )
  return rows.flatMap(({ id, status, txids }) => {
    if (status !== 200) return []
    const shallow = (String(txids).match(/.{64}/g) ?? []).filter((txid) => (depths.get(txid) ?? 0) < needed)
    return shallow.map((txid) => `item ${id} was published before ${txid} was ${needed} deep`)
  })
}

/**
 * What leaves the service's wallet is fees: coins in are coins out and fees, to the last base unit. To be asked often enough: the rows of
 * what is stored are folded a few blocks later.
 */
export function checkSupply(world: World): string[] {
  // One that was asked for since the last turn ended may be in a block already.
  noteAsked(world)
  const { node, d1, blockchain, sweeps, spenders, ownWallets, audited, asked, lostTransactions } = world
  const problems: string[] = []
  const fees = new Map(
    d1
      .rows('SELECT txid, fee FROM transactions WHERE blockchain = ?', blockchain)
      .map((row) => [String(row.txid), row.fee]),
  )
  const owed = new Set([...asked.values()].map(({ script, amount }) => `${script} ${amount}`))
  const sent = new Set(spenders.values())
  const isOwn = (script: Uint8Array) => [...ownWallets].some((wallet) => wallet.keyFor(script))
  for (const block of node.chain.active) {
    if (audited.has(block)) continue
    audited.add(block)
    let at = 0
    for (const { txid, coinbase, inputs, outputs } of block.transactions) {
      const spent = coinbase ? [] : block.spent.slice(at, at + inputs.length)
      at += spent.length
      if (!sent.has(txid) || sweeps.has(txid)) continue
      // Somebody's payment to the wallet, which the chain lost and the service sent again for what stands on it.
      if (!spent.some(({ script }) => isOwn(script))) continue
      const paid = spent.reduce((sum, { value }) => sum + value, 0n)
      const kept = outputs.reduce((sum, { value }) => sum + value, 0n)
      const fee = fees.get(txid)
      if (lostTransactions.has(txid)) {
        // What it was is known to whoever assigns it.
      } else if (fee === undefined && isFolded(world, txid)) {
        // So many blocks came at once that its row was folded before it was looked at: what an item paid is looked at there.
      } else if (fee === undefined) problems.push(`${txid} was sent and is not in the books`)
      else if (BigInt(String(fee)) !== paid - kept)
        problems.push(`${txid} paid ${paid - kept} and the books say ${fee}`)
      const scripts = new Set(spent.map(({ script }) => toHex(script)))
      const foreign = outputs.filter(
        ({ script, value }) =>
          value > 0n && !scripts.has(toHex(script)) && !isOwn(script) && !owed.has(`${toHex(script)} ${value}`),
      )
      if (foreign.length > 0) problems.push(`${txid} pays somebody else`)
    }
  }
  return problems
}

/** Whether a transaction is of an item, or is the index of one, whose rows are folded. */
function isFolded({ d1 }: World, txid: string): boolean {
  const indexed = 'SELECT 1 FROM writes WHERE index_txid = ? AND folded_height IS NOT NULL'
  if (d1.rows(indexed, txid).length > 0) return true
  const rows = d1.rows(
    `SELECT ${TXIDS} AS txids FROM items JOIN item_txids AS t ON t.item_id = items.id
     JOIN writes ON writes.item_id = items.id WHERE folded_height IS NOT NULL`,
  )
  return rows.some(({ txids }) => String(txids).includes(txid))
}

/** Money that was on its way before its request expired, that is enough and deep, has settled that request. */
function checkSettledInTime({ d1, node, payments, config, blockchain, replaced, unheard }: World): string[] {
  // A payment that came while another wallet stood there was seen by nobody until the first was back: it may be late then.
  if (replaced) return []
  const { confirmations } = config.chains[blockchain]
  const requests = d1.rows(
    `SELECT id, address, amount, state, expires_at FROM payment_requests WHERE address IS NOT NULL`,
  )
  return requests.flatMap(({ id, address, amount, state, expires_at }) => {
    if (state === 'settled' || state === 'cancelled') return []
    const inTime = payments.filter(
      (payment) => payment.address === address && payment.at < Number(expires_at) && !unheard.has(payment.txid),
    )
    let received = 0n
    for (const { txid } of inTime) {
      const confirmed = node.chain.confirmed.get(txid)
      const needed = confirmed?.transaction.coinbase ? CHAINS[blockchain].coinbaseMaturity : confirmations
      if (!confirmed || node.chain.confirmations(confirmed.block) < needed) continue
      const script = d1.rows('SELECT script FROM addresses WHERE address = ?', String(address))[0]?.script
      for (const output of confirmed.transaction.outputs) if (toHex(output.script) === script) received += output.value
    }
    if (received < BigInt(String(amount))) return []
    return [`request ${id} is ${state} though ${received} of ${amount} came in time and is deep`]
  })
}

/**
 * What writing and paying out have cost, and would if all that may still be mined was, is at most what was quoted for it, as
 * often as the operator's ceiling allows; and no transaction of an item pays a higher fee rate than that item's ceiling.
 */
function checkFees({ d1, blockchain, sweeps, config }: World): string[] {
  const ceiling = BigInt(config.feeCeilingPercent)
  const rows = d1.rows(
    `SELECT transactions.txid, tx_chain, seq, fee, vsize, fee_rate, IFNULL(transactions.item_id, withdrawal_id) AS isFor
     FROM transactions
     LEFT JOIN writes ON writes.item_id = transactions.item_id
     LEFT JOIN payment_requests ON payment_requests.id = writes.request_id
     WHERE transactions.blockchain = ? AND transactions.state != 'dead'`,
    blockchain,
  )
  // What gathers coins, or spends a withdrawal's back, is nobody's: it begins its tx chain, and what follows is paid for it.
  const ownTxChains = new Set(
    rows.filter(({ seq, isFor }) => seq === 0 && isFor === null).map(({ tx_chain: txChain }) => txChain),
  )
  const own = rows.filter(({ txid, tx_chain: txChain }) => !sweeps.has(String(txid)) && !ownTxChains.has(txChain))
  const fees = own.reduce((sum, { fee }) => sum + BigInt(String(fee)), 0n)
  const settled = d1.rows(
    `SELECT network_fee FROM payment_requests WHERE state = 'settled' UNION ALL SELECT fee FROM withdrawals`,
  )
  const quoted = settled.reduce((sum, { network_fee }) => sum + BigInt(String(network_fee)), 0n)
  const above = own.filter(({ fee, vsize, fee_rate }) => {
    if (fee_rate === null) return false
    return BigInt(String(fee)) > feeFor(Number(vsize), (BigInt(String(fee_rate)) * ceiling) / 100n)
  })
  return [
    ...(fees * 100n > quoted * ceiling ? [`fees of ${fees} are paid for writes that were quoted ${quoted}`] : []),
    ...above.map(({ txid, fee, fee_rate }) => `${txid} pays ${fee}, above the ceiling of a quote of ${fee_rate}`),
  ]
}
