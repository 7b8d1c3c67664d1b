import { hash } from 'node:crypto'
import type { Client } from '../../client/create-client.ts'
import { OrderJournal } from '../../client/store/order-journal.ts'
import { fileStore } from '../../client/stores/file-store.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import type { Item } from '../../client/types.ts'
import { openAccount } from '../account/open-account.ts'
import { type OrderReport, orderOutcome } from '../items/order-outcome.ts'
import { confirmPrice, readMaxFee, requireLimit } from '../pay/confirm-price.ts'
import { estimatePrice, sizesAsStored } from '../pay/estimate-price.ts'
import { findTarget } from '../pay/find-target.ts'
import { payItems } from '../pay/pay-items.ts'
import { readBalance } from '../pay/read-balance.ts'
import { readWorth } from '../pay/read-worth.ts'
import { coinName } from '../pay/target-name.ts'
import { waitForItems } from '../pay/wait-for-items.ts'
import { usageError } from '../run/command-error.ts'
import { commandLine } from '../run/command-line.ts'
import type { Context } from '../run/context.ts'
import { checkIds } from '../run/object-id.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal, env, keep, now } = context
  const ids = checkIds(line.words)
  readMaxFee(context)
  requireLimit(context)
  const { api, client } = await openAccount(context)
  const items = await readItems(client, ids, signal)
  const [first] = items
  if (!first) throw usageError('There is no item to pay.')
  const other = items.find(({ blockchain }) => blockchain !== first.blockchain)
  if (other)
    throw usageError(
      `${first.id} is for ${first.blockchain} and ${other.id} for ${other.blockchain}; pay them one after another.`,
    )
  const target = first.blockchain
  const facts = await findTarget(client, target, signal)
  const { paidIn } = facts
  const coin = coinName(paidIn)
  const unpaid = items.filter(({ status }) => status === '402 Payment Required')
  // The stored size is known by now: compressed for a chain, all blocks for IPFS.
  const sizes = sizesAsStored(unpaid, facts)
  const estimate =
    sizes.length > 0 ? await estimatePrice(client, { to: target, directory: false }, sizes, context) : undefined
  const balance = await readBalance(client, paidIn, signal)
  const bytes = items.reduce((sum, { size }) => sum + size, 0)
  const dryRun = line.has('dry-run')
  const report: OrderReport = {
    target,
    coin,
    website: false,
    dryRun,
    files: items.length,
    bytes,
    skipped: [],
    linked: [],
    hashes: [],
    changed: [],
    known: [],
    estimate,
    balance,
    items,
    failed: [],
    payments: [],
  }
  if (dryRun) return orderOutcome(report, env)
  const wait = line.has('wait')
  if (unpaid.length === 0)
    return orderOutcome({ ...report, items: wait ? await waitForItems(context, client, ids) : items }, env)
  const what = unpaid.length === 1 ? first.name : `${unpaid.length} items`
  const worth = await readWorth(context, client, facts.paidIn)
  const agreement = await confirmPrice(context, { what, coin, estimate: estimate?.amount, balance, worth })
  keep(`Nothing is paid twice. To resume: ${commandLine(context)}`)
  const store = fileStore(userFolders(env).state, { anew: line.has('new') })
  const key = hash('sha256', JSON.stringify(['pay', api.origin, target, [...ids].sort()]))
  const unlock = await store.lock(key)
  try {
    const journal = await OrderJournal.open(store, key, now)
    const order = { target, facts, items: unpaid, coin, estimate: estimate?.amount }
    const open = unpaid.map(({ id }) => id)
    const { payments } = await payItems(context, { client, journal, order, ids: open, agreement, wait })
    const latest = wait ? await waitForItems(context, client, ids) : await readItems(client, ids, signal)
    return orderOutcome({ ...report, payments, items: latest }, env)
  } finally {
    await unlock()
  }
}

async function readItems(client: Client, ids: readonly string[], signal: AbortSignal): Promise<Item[]> {
  const found: Item[] = []
  for (const id of ids) found.push(await client.items.get(id, { signal }))
  return found
}
