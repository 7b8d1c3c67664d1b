import type { World } from './world.ts'

const DAY = 86_400_000

/** What each API key has paid from the balance on a day is what is counted for it, and no more than its limit. */
export function checkKeys(world: World): string[] {
  const { d1, blockchain, keys, paidByKey } = world
  if (keys.size === 0) return []
  const spent = new Map<string, bigint>()
  for (const { cause, amount, created_at } of d1.rows(
    `SELECT cause, amount, created_at FROM ledger WHERE cause LIKE 'request:%'`,
  )) {
    const key = paidByKey.get(String(cause))
    if (key === undefined) continue
    const name = `${key} ${Math.floor(Number(created_at) / DAY)}`
    spent.set(name, (spent.get(name) ?? 0n) - BigInt(String(amount)))
  }
  const counted = d1.rows('SELECT key_id, day, amount FROM api_key_spending WHERE blockchain = ?', blockchain)
  const known = new Map(counted.map(({ key_id, day, amount }) => [`${key_id} ${day}`, BigInt(String(amount))]))
  return [...spent].flatMap(([name, amount]) => {
    const limit = keys.get(name.split(' ')[0] ?? '')?.limit ?? 0n
    world.count('a key pays within its limit')
    return [
      ...(amount > limit ? [`key ${name} paid ${amount} of ${limit}`] : []),
      ...(known.get(name) === amount ? [] : [`key ${name} paid ${amount} and ${known.get(name)} is counted`]),
    ]
  })
}
