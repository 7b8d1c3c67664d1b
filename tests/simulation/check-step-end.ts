import { toHex } from '../../protocol/bytes.ts'
import { transactionOf } from './note-history.ts'
import { type MissingCredit, withoutSmall } from './small-deposits.ts'
import type { World } from './world.ts'

/**
 * What has to be true at the very moment at which a step of the agent has ended well at the block `tipHash`: whatever that
 * block has made deep enough is where it belongs. Money in time has settled its request, and all other money of an
 * address of ours is credited, unless the service has set that very record aside with a reason.
 */
export function checkStepEnd(world: World, tipHash: string): string[] {
  const { d1, node, config, blockchain, payments } = world
  const tip = node.chain.blocks.get(tipHash)
  const wallet = node.wallets.get('')
  // A wallet that took another's place has other addresses, and the first one comes back with a past that nobody saw.
  if (!tip || !wallet || world.replaced || !node.chain.isActive(tip)) return []
  const unbacked = checkBacked(world)
  // Another step has followed the chain further since, whose tip refused what this one would have credited: the next does it.
  const [followed] = d1.rows('SELECT hash FROM blocks WHERE blockchain = ? ORDER BY height DESC LIMIT 1', blockchain)
  if (followed?.hash !== tipHash) return unbacked
  const deepest = tip.height - config.chains[blockchain].confirmations + 1
  const deep = payments.filter(({ txid }) => {
    const height = node.chain.confirmed.get(txid)?.block.height
    // What a miner is paid takes longer: it is asked about at rest.
    if (height === undefined || transactionOf(world, txid)?.coinbase) return false
    return height <= deepest && wallet.transactions.has(txid) && !world.forgotten.has(txid)
  })
  if (deep.length === 0) return unbacked
  const aside = new Set(d1.rows(`SELECT kind || ' ' || id AS name FROM failed_records`).map(({ name }) => String(name)))
  const known = deep.filter(({ txid }) => !aside.has(`payment ${txid}`))
  return [...unbacked, ...checkInTime(world, known, aside), ...checkCredited(world, known, aside)]
}

type Payments = World['payments']

/** Enough that came in time has settled its request. */
function checkInTime(world: World, deep: Payments, aside: ReadonlySet<string>): string[] {
  const rows = world.d1.rows(
    'SELECT id, address, amount, state, expires_at FROM payment_requests WHERE address IS NOT NULL',
  )
  return rows.flatMap(({ id, address, amount, state, expires_at }) => {
    const inTime = deep.filter((payment) => payment.address === address && payment.at < Number(expires_at))
    const received = inTime.reduce((sum, payment) => sum + payment.amount, 0n)
    if (received < BigInt(String(amount))) return []
    world.count('in time, enough and deep is settled')
    if (state === 'settled' || state === 'cancelled' || aside.has(`request ${id}`)) return []
    return [`request ${id} is ${state} at the end of a step, though ${received} of ${amount} came in time and is deep`]
  })
}

/** What no request waits for is in the ledger. */
function checkCredited(world: World, deep: Payments, aside: ReadonlySet<string>): string[] {
  const { d1, node, config, blockchain } = world
  const credited = new Set(d1.rows('SELECT cause FROM ledger').map(({ cause }) => cause))
  const owners = Map.groupBy(
    d1.rows(
      `SELECT addresses.address, addresses.user_id, addresses.script, addresses.kind, payment_requests.state FROM addresses
       LEFT JOIN payment_requests ON payment_requests.address = addresses.address`,
    ),
    ({ address }) => address,
  )
  const missing = deep.flatMap(({ txid, address }): MissingCredit[] => {
    const [owner] = owners.get(address) ?? []
    // Of a request that was cancelled or has expired the next step credits what came for it.
    if (!owner || (owner.kind === 'request' && owner.state !== 'settled')) return []
    if (aside.has(`credit ${owner.user_id}`)) return []
    const outputs = node.chain.confirmed.get(txid)?.transaction.outputs ?? []
    world.count('deep money is credited')
    return outputs.flatMap(({ script, value }, vout) => {
      if (toHex(script) !== owner.script) return []
      const cause = `output:${txid}:${vout}`
      return credited.has(cause) ? [] : { cause, owner, value }
    })
  })
  const causes = withoutSmall(missing, config.chains[blockchain].minDeposit)
  return causes.map((cause) => `${cause} was not credited at the end of a step`)
}

/** What is written was paid with money that is in blocks, as far as the database follows them. */
function checkBacked(world: World): string[] {
  const rows = world.d1.rows(
    `SELECT item_id, payment_requests.amount, outputs.amount AS paid, outputs.block_height
     FROM writes JOIN payment_requests ON id = request_id
     LEFT JOIN outputs ON outputs.blockchain = payment_requests.blockchain AND outputs.address = payment_requests.address
       AND credited = 1
     WHERE writes.state IN ('queued', 'writing') AND unbacked = 0`,
  )
  return [...Map.groupBy(rows, ({ item_id }) => item_id)].flatMap(([id, paid]) => {
    const [first] = paid
    const sum = (some: typeof rows) => some.reduce((total, one) => total + BigInt(String(one.paid ?? 0)), 0n)
    const amount = BigInt(String(first?.amount))
    if (sum(paid) < amount) return []
    world.count('what is written is backed by blocks')
    const mined = sum(paid.filter(({ block_height }) => block_height !== null))
    return mined >= amount ? [] : [`item ${id} is written though only ${mined} of ${amount} is in blocks`]
  })
}
