import { counted } from '../../client/counted.ts'
import { itemState } from '../../client/item-state.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import { openAccount } from '../account/open-account.ts'
import { itemJson } from '../items/item-json.ts'
import { listOrders } from '../items/remember-order.ts'
import { formatTime } from '../output/format-time.ts'
import { waitForItems } from '../pay/wait-for-items.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { checkIds } from '../run/object-id.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal, env, keep } = context
  const [id] = checkIds(line.words)
  if (id === undefined) return listBegun(userFolders(env).state)
  const { client } = await openAccount(context)
  keep('Nothing was changed.')
  const found = line.has('wait') ? (await waitForItems(context, client, [id]))[0] : undefined
  const item = found ?? (await client.items.get(id, { signal }))
  const state = itemState(item)
  const text = [
    `${state.padEnd(8)} ${item.name}`,
    ...(item.message === undefined ? [] : [`says     ${item.message}`]),
    // Items on IPFS have no transactions.
    ...(item.transactions
      ? [`written  ${item.written} of ${item.transactions} transactions, ${item.confirmed} deep enough`]
      : []),
    ...(item.cid === undefined ? [] : [`cid      ${item.cid}`]),
    ...(item.txids === undefined ? [] : [`txids    ${item.txids.join(',')}`]),
  ]
  const result = itemJson(item)
  if (state === 'stored') return { result, text }
  const message = item.message ?? `It is ${state}.`
  if (state === 'stopped') return { result, text, exitCode: EXIT.refused, error: { code: 'item_stopped', message } }
  return {
    result,
    text,
    exitCode: EXIT.pending,
    error: { code: 'pending', message, hint: 'To wait until it is stored, use --wait.' },
  }
}

/** Orders that were begun on this machine, without any request. */
async function listBegun(stateFolder: string): Promise<Outcome> {
  const orders = await listOrders(stateFolder)
  const text = orders.map(({ at, target, files, name, api }) => {
    return [formatTime(at / 1000), target.padEnd(10), counted(files, 'file'), name, api].join('  ')
  })
  const result = { orders: orders.map((order) => ({ ...order, at: Math.floor(order.at / 1000) })) }
  return { result, text: text.length > 0 ? text : ['Nothing was begun on this machine.'] }
}
