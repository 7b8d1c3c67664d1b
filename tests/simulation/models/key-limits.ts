import { payForAll } from '../user-acts.ts'
import type { Model } from '../world.ts'

/** API keys with a limit a day, with which users ask for most prices; some limits suffice for one item, some for all. */
export const keyLimits: Model = {
  money: true,
  begin({ d1, keys, random, blockchain }) {
    for (const userId of ['ada', 'bob']) {
      const id = `key-of-${userId}`
      const limit = random.pick([20_000n, 200_000n, 3_000_000n, 60_000_000n, 10_000_000_000n]) ?? 0n
      keys.set(id, { userId, limit })
      d1.rows(
        `INSERT INTO api_keys (id, user_id, name, hash, scopes, spending, created_at) VALUES (?1, ?2, ?1, ?1, '[]', ?3, 0)`,
        ...[id, userId, JSON.stringify({ [blockchain]: limit.toString() })],
      )
    }
  },
  happen() {},
  acts: (world) => (world.random.chance(0.5) ? payForAll(world) : []),
}
