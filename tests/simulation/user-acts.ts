import { CHAINS } from '../../protocol/chains.ts'
import { cancelRequest } from '../../worker/features/payments/cancel-request.ts'
import { createAddress } from '../../worker/features/payments/create-address.ts'
import { openRequest } from '../../worker/features/payments/open-request.ts'
import { createWithdrawal } from '../../worker/features/payouts/ask/create-withdrawal.ts'
import { mine } from './mine.ts'
import { pay } from './pay.ts'
import type { Random } from './random.ts'
import type { UploadedItem } from './records.ts'
import { contextOf, requestApi } from './run-service.ts'
import { elsewhere } from './spend.ts'
import { useKey } from './watch-database.ts'
import { USERS, type World } from './world.ts'

/** Somebody pays: too little, what is asked, or too much; to an address of now or of long ago. */
export function payments(world: World): void {
  const { random, d1 } = world
  const address = random.pick(d1.rows('SELECT address FROM addresses ORDER BY rowid'))?.address
  if (typeof address !== 'string') return
  const request = d1.rows('SELECT amount FROM payment_requests WHERE address = ?', address)[0]
  const due = BigInt(String(request?.amount ?? 5_000_000))
  const dust = 2_000_000n
  const amount = random.pick([due, due, due, due / 2n + dust, due + BigInt(random.integer(1, 9)) * dust, 20n * due])
  pay(world, address, amount ?? due)
}

/** Most users have money in their balance, by payments of some size, before anything else happens. */
export async function openAccounts(world: World): Promise<void> {
  const { random, blockchain, stage } = world
  const context = contextOf(world)
  for (const userId of USERS) {
    if (random.chance(0.2)) continue
    await stage.run([async () => void (await createAddress(context, userId, blockchain))])
    const sql = `SELECT address FROM addresses WHERE user_id = ? AND kind = 'deposit' ORDER BY rowid DESC LIMIT 1`
    const address = String(world.d1.rows(sql, userId)[0]?.address)
    for (let count = random.integer(1, 3); count > 0; count--) {
      pay(world, address, BigInt(random.integer(3, 900)) * 1_000_000n)
      if (random.chance(0.5)) mine(world, random.integer(1, 3))
    }
  }
}

/** One thing that some user does: asks for a price, cancels a request, or asks for an address. */
export async function userAction(world: World, items: readonly UploadedItem[]): Promise<void> {
  const { random, blockchain } = world
  const context = contextOf(world)
  const userId = random.pick(USERS) ?? 'ada'
  const own = items.filter((item) => item.userId === userId)
  const kind = random.integer(0, 9)
  if (kind <= 6 && own.length > 0) {
    const ids = random.chance(0.5) ? own.map(({ id }) => id) : [random.pick(own)?.id ?? '']
    await requestApi(world, () => openRequest(context, { userId, target: blockchain, ids, key: useKey(world, userId) }))
  } else if (kind === 7) {
    const request = random.pick(world.d1.rows('SELECT address, user_id FROM payment_requests ORDER BY rowid'))
    if (!request?.address) return
    await requestApi(world, () => cancelRequest(context, String(request.user_id), String(request.address)))
  } else {
    await requestApi(world, () => createAddress(context, userId, blockchain))
  }
}

/** A user asks for the price of all items that have none yet. */
export async function askForAll(world: World, items: readonly UploadedItem[]): Promise<void> {
  const { d1, blockchain } = world
  const context = contextOf(world)
  const asked = new Set(d1.rows('SELECT item_id FROM payment_request_items').map(({ item_id }) => item_id))
  const [first, ...others] = items.filter(({ id }) => !asked.has(id))
  if (!first) return
  const { userId } = first
  const ids = [first, ...others.filter((item) => item.userId === userId)].map(({ id }) => id)
  await requestApi(world, () => openRequest(context, { userId, target: blockchain, ids, key: useKey(world, userId) }))
}

/**
 * Every user asks for the price of what is not paid, each item by itself, and so pays from the balance where that suffices. Each
 * is a task of its own: a request that was refused may still have calls of the node under way when the next begins.
 */
export function payForAll(world: World): (() => Promise<void>)[] {
  const { d1, blockchain } = world
  const written = new Set(d1.rows('SELECT item_id FROM writes').map(({ item_id }) => item_id))
  return world.items
    .filter(({ id }) => !written.has(id))
    .map(({ id, userId }) => async () => {
      const order = { userId, target: blockchain, ids: [id], key: useKey(world, userId) }
      await requestApi(world, () => openRequest(contextOf(world), order))
    })
}

interface Payout {
  userId: string
  amount: bigint
  /** An address of this service's, where it is not elsewhere. */
  to?: string
}

/** What somebody with a balance would take out: a part of it, nearly all, or more than there is. */
export function withdrawalOf({ d1, blockchain }: World, payouts: Random): Payout | undefined {
  const ends = USERS.flatMap((user) =>
    d1.rows('SELECT user_id, balance FROM ledger WHERE user_id = ? ORDER BY seq DESC LIMIT 1', user),
  )
  const end = payouts.pick(ends.filter(({ balance }) => balance !== '0'))
  if (!end) return undefined
  const balance = BigInt(String(end.balance))
  const { dust } = CHAINS[blockchain]
  const amount = payouts.pick([balance / 3n, balance / 2n, balance - 4n * dust, balance + 1n]) ?? 0n
  return amount < dust ? undefined : { userId: String(end.user_id), amount }
}

/** Takes money out, to an address of nobody here unless one is given. */
export async function withdraw(world: World, { userId, amount, to = elsewhere(world) }: Payout): Promise<void> {
  const { blockchain } = world
  const context = contextOf(world)
  const order = { blockchain, address: to, amount, maxFee: undefined }
  await requestApi(world, () => createWithdrawal(context, userId, order))
}
