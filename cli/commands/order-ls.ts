import type { Order } from '../../client/types.ts'
import { openAccount } from '../account/open-account.ts'
import { formatTime } from '../output/format-time.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { printList } from '../run/print-list.ts'

export async function run(context: Context): Promise<Outcome> {
  const { client } = await openAccount(context)
  return printList(context, client.orders.list({ signal: context.signal }), 'There are no orders.', (order) => {
    const { id, name, blockchain, createdAt, counts } = order
    const payments = order.payments.map((payment) => ({ ...payment, address: payment.address ?? null }))
    const text = [id, filesOf(counts).padEnd(20), blockchain.padEnd(10), formatTime(createdAt), name].join('  ')
    return { json: { id, name, blockchain, createdAt, counts, payments }, text }
  })
}

const WORDS = [
  ['200', 'stored'],
  ['202', 'writing'],
  ['402', 'unpaid'],
  ['201', 'uploading'],
  ['409', 'stopped'],
] as const

/** `2 stored, 1 unpaid`. */
function filesOf(counts: Order['counts']): string {
  return WORDS.flatMap(([status, word]) => (counts[status] > 0 ? [`${counts[status]} ${word}`] : [])).join(', ')
}
