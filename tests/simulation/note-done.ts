import type { MemoryD1 } from '../kit/in-process/memory-d1.ts'

interface Counting {
  d1: MemoryD1
  did(what: string, times?: number): void
}

/**
 * What few seeds have the service do: a run of 700 in which any of it never happened has not tried the writer. A bump replaced
 * twice and a bumped tx chain of a withdrawal are counted, too, and so rare that as many other seeds may have none.
 */
export const HARD_PATHS = [
  'a tx chain bumped by a child',
  'a bump replaced by a dearer one',
  'a parent and its bump taken as one package',
  'a payload sent and made anew',
  'a payload signed, never taken, and made anew',
  'a write stopped, for something else spent its coin',
  'a tx chain closed, for something else spent its coin',
  'items waited for fees below their ceiling',
  'refused as cheap',
  'refused as missing',
  'refused as conflict',
  'waited for coins',
] as const

/** What a line of the service's log tells of; every line begins with such a word. */
const LOGGED: Record<string, (typeof HARD_PATHS)[number]> = {
  transaction_lost: 'a write stopped, for something else spent its coin',
  tx_chains_spent: 'a tx chain closed, for something else spent its coin',
  fees_above_ceiling: 'items waited for fees below their ceiling',
  coins_missing: 'waited for coins',
}

/** Counts what the service itself says in its log. */
export function noteLogged(world: Counting, code: string, details: readonly unknown[]): void {
  const what = LOGGED[code]
  if (what) world.did(what)
  if (code === 'transaction_not_taken') world.did(`refused as ${details[2]}`)
}

/** Counts what the books of a seed that has ended show. */
export function noteDone(world: Counting): void {
  const { d1 } = world
  const count = (sql: string): number => Number(d1.rows(`SELECT COUNT(*) AS n FROM (${sql})`)[0]?.n)
  // What gathers coins is the first of its tx chain.
  const bump = `item_id IS NULL AND withdrawal_id IS NULL AND seq > 0 AND sent_height IS NOT NULL`
  const bumps = `SELECT blockchain, tx_chain, seq, COUNT(*) AS n FROM transactions WHERE ${bump} GROUP BY blockchain, tx_chain, seq`
  world.did('a tx chain bumped by a child', count(bumps))
  world.did('a bump replaced by a dearer one', count(`SELECT 1 FROM (${bumps}) WHERE n > 1`))
  world.did('a bump replaced twice or more', count(`SELECT 1 FROM (${bumps}) WHERE n > 2`))
  world.did(
    'a tx chain of a withdrawal bumped',
    count(
      `SELECT 1 FROM transactions AS bumps JOIN transactions AS paying USING (blockchain, tx_chain)
       WHERE paying.withdrawal_id IS NOT NULL AND bumps.item_id IS NULL AND bumps.withdrawal_id IS NULL
         AND bumps.sent_height IS NOT NULL GROUP BY tx_chain`,
    ),
  )
  const anew = `FROM transactions AS dead JOIN transactions AS live USING (item_id, item_index)
    WHERE dead.state = 'dead' AND live.state != 'dead'`
  world.did('a payload sent and made anew', count(`SELECT 1 ${anew} AND dead.sent_height IS NOT NULL`))
  world.did('a payload signed, never taken, and made anew', count(`SELECT 1 ${anew} AND dead.sent_height IS NULL`))
}
