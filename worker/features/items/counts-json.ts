import type { ItemCount } from './sql/item-lists.ts'
import { ITEM_STATES, STATUS } from './sql/item-state.ts'

/** How many items an account has in each state, by the number of its status, and in all, with their bytes. */
export function countsJson(counted: readonly ItemCount[]) {
  const counts = Object.fromEntries(ITEM_STATES.map((state) => [String(STATUS[state]), 0]))
  let total = 0
  let bytes = 0
  for (const count of counted) {
    counts[count.status] = count.n
    total += count.n
    bytes += count.bytes
  }
  return { counts, total, bytes }
}
