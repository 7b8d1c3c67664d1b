import { concatBytes, toHex } from '../../protocol/bytes.ts'
import { opReturnData } from '../../protocol/op-return.ts'
import { TXIDS } from '../../worker/features/items/sql/txids.ts'
import { transactionOf } from './note-history.ts'
import type { World } from './world.ts'

/** How a write may stand for each status of its item. */
const STANDS: Record<string, readonly unknown[]> = {
  200: ['published', 'done'],
  202: ['queued', 'writing'],
  409: ['paused', 'parked'],
}

/**
 * Whatever the service is in the midst of: what is paid is being written, is written, or is stopped with a reason, by one
 * request alone; nothing else is written; and no payload of it is left out or has two transactions that may be mined.
 */
export function checkPaid(world: World): string[] {
  const { d1 } = world
  const problems: string[] = []
  const paid = d1.rows(
    `SELECT payment_requests.id, payment_request_items.item_id, status, message, writes.request_id, writes.state
     FROM payment_requests JOIN payment_request_items ON payment_request_items.request_id = payment_requests.id
     LEFT JOIN items ON items.id = payment_request_items.item_id
     LEFT JOIN writes ON writes.item_id = payment_request_items.item_id
     WHERE payment_requests.state = 'settled'`,
  )
  for (const { id, item_id, status, message, request_id, state } of paid) {
    const name = `item ${item_id} (${status}, ${state})`
    if (request_id !== id) problems.push(`${name} was paid by request ${id} and is written for ${request_id}`)
    if (!STANDS[String(status)]?.includes(state)) problems.push(`${name} is paid and neither written nor stopped`)
    if (status === 409 && !message) problems.push(`${name} was stopped without a reason`)
  }
  if (paid.length > 0) world.count('paid is written or a failed record')
  const unpaid = d1.rows(
    `SELECT item_id FROM writes LEFT JOIN payment_requests ON id = request_id
     WHERE payment_requests.state IS NOT 'settled'`,
  )
  problems.push(...unpaid.map(({ item_id }) => `item ${item_id} is written and was not paid`))
  return [...problems, ...checkPayloads(world)]
}

/** Every payload before the next one to be planned has exactly one transaction that lives. */
function checkPayloads({ d1 }: World): string[] {
  const rows = d1.rows(
    `SELECT writes.item_id, next_index, writes.transactions, COUNT(txid) AS live,
       COUNT(DISTINCT item_index) AS covered, COUNT(DISTINCT IIF(item_index < next_index, item_index, NULL)) AS before
     FROM writes LEFT JOIN transactions ON transactions.item_id = writes.item_id AND transactions.state != 'dead'
     WHERE folded_height IS NULL GROUP BY writes.item_id`,
  )
  return rows.flatMap(({ item_id, next_index, live, covered, before }) => [
    ...(before === next_index ? [] : [`item ${item_id} is planned up to ${next_index} and has ${before} transactions`]),
    ...(live === covered ? [] : [`item ${item_id} has ${live} transactions that may be mined for ${covered} payloads`]),
  ])
}

/** What is published holds what was uploaded, once and in order, whatever the chain does to it later. */
export function checkContent(world: World): string[] {
  const rows = world.d1.rows(
    `SELECT items.id, ${TXIDS} AS txids FROM items JOIN item_txids AS t ON t.item_id = items.id WHERE status = 200`,
  )
  return rows.flatMap(({ id, txids }) => {
    const name = `${id} ${txids}`
    if (world.held.has(name)) return []
    world.held.add(name)
    const parts = (String(txids).match(/.{64}/g) ?? []).map((txid) => {
      const scripts = transactionOf(world, txid)?.outputs.map(({ script }) => script)
      return concatBytes(opReturnData(scripts ?? []) ?? [])
    })
    const expected = world.expected.get(String(id))
    const holds = expected !== undefined && toHex(concatBytes(parts)) === toHex(expected)
    return holds ? [] : [`item ${id} is published and holds other content`]
  })
}
