import { itemState, STATUS_OF_STATE } from '../../client/item-state.ts'
import type { Item } from '../../client/types.ts'
import { openAccount } from '../account/open-account.ts'
import { itemJson } from '../items/item-json.ts'
import { formatTime } from '../output/format-time.ts'
import { formatBytes } from '../output/progress.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { checkOrderIds } from '../run/object-id.ts'
import type { Outcome } from '../run/outcome.ts'
import { printList } from '../run/print-list.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const wanted = line.value('status')?.toLowerCase()
  const status = Object.entries(STATUS_OF_STATE).find(([state]) => state === wanted)?.[1]
  const name = line.value('name')
  const [order] = checkOrderIds(line.value('order')?.split(' ') ?? [])
  if (order !== undefined && name !== undefined) throw usageError('--order and --name exclude each other.')
  const filter = {
    ...(status !== undefined && { status }),
    ...(name !== undefined && { name }),
    ...(order !== undefined && { order }),
    ...(line.has('hidden') && { hidden: 'true' as const }),
  }
  const { client } = await openAccount(context)
  const none = Object.keys(filter).length > 0 ? 'There are no such items.' : 'There are no items.'
  return printList(context, client.items.list(filter, { signal }), none, (item) => {
    return { json: itemJson(item), text: itemLine(item) }
  })
}

function itemLine(item: Item): string {
  const { id, name, blockchain, size, createdAt } = item
  return [
    id,
    itemState(item).padEnd(9),
    blockchain.padEnd(10),
    formatBytes(size).padStart(12),
    formatTime(createdAt),
    name,
  ].join('  ')
}
