import { type Blockchain, CHAINS } from '../../protocol/chains.ts'
import type { Config } from '../../worker/platform/config/config.ts'
import type { MemoryD1 } from '../kit/in-process/memory-d1.ts'

/** A statement that moves money: the first value bound to it is the user, and the one that it names as JSON are the moves. */
const MOVES = /^INSERT INTO ledger .*json_each\(\?(\d+)\)/s

/** The world as far as this looks at it. */
interface Watched {
  d1: MemoryD1
  blockchain: Blockchain
  config: Config
  lostWithdrawals: ReadonlySet<string>
  count(invariant: string): void
}

/** An entry of the ledger; money in base units, as text. */
export interface Entry {
  seq: number
  amount: string
  balance: string
  cause: string
}

/** The entries that a statement adds to the ledger, where it is one that does. */
export function readMoves(sql: string, values: readonly unknown[]): Entry[] | undefined {
  const place = MOVES.exec(sql)?.[1]
  return place === undefined ? undefined : JSON.parse(String(values[Number(place) - 1]))
}

/** What would be wrong of a move that was written, unless its batch was taken back. */
interface Doubt {
  userId: string
  seq: number
  cause: string
  problem: string
}

/**
 * Looks at money in the very moment at which it moves, by what the database follows of the chain then: what is credited
 * is deep enough, and what is taken leaves in the balance what the chain has taken back for now.
 */
export class MoveWatch {
  readonly #world: Watched
  #doubts: Doubt[] = []

  constructor(world: Watched) {
    this.#world = world
  }

  /** To be told of all that is moved in the ledger of a user. */
  onMoved(userId: string, entries: readonly Entry[]): void {
    const last = entries.at(-1)
    const [first] = entries
    if (!first || !last) return
    for (const entry of entries) {
      const problem = this.#findShallow(entry.cause)
      if (problem !== undefined) this.#doubts.push({ userId, ...entry, problem })
    }
    const before = BigInt(first.balance) - BigInt(first.amount)
    if (BigInt(last.balance) >= before || !entries.some(({ cause }) => this.#isAsked(cause))) return
    const reserved = this.#sumReserved(userId)
    this.#world.count('a debit leaves what is off the chain')
    if (reserved === 0n) return
    this.#world.count('a debit while money is off the chain')
    if (BigInt(last.balance) >= reserved) return
    const problem = `${last.cause} left ${last.balance} of a balance of which ${reserved} is off the chain`
    this.#doubts.push({ userId, ...last, problem })
  }

  /** What is wrong of the moves since the last time, those that were kept. */
  takeProblems(): string[] {
    const doubts = this.#doubts
    this.#doubts = []
    const isKept = ({ userId, seq, cause }: Doubt) =>
      this.#world.d1.rows('SELECT 1 FROM ledger WHERE user_id = ? AND seq = ? AND cause = ?', userId, seq, cause)
        .length > 0
    return doubts.filter(isKept).map(({ problem }) => problem)
  }

  /** What was paid out before a restore is debited whatever is there, and what is lost is written off so. */
  #isAsked(cause: string): boolean {
    const [kind, id = ''] = cause.split(':')
    if (kind === 'request' || kind === 'manual') return true
    return (kind === 'withdrawal' || kind === 'withdrawal-fee') && !this.#world.lostWithdrawals.has(id)
  }

  #findShallow(cause: string): string | undefined {
    const { d1, blockchain, config } = this.#world
    const [kind, txid = '', vout] = cause.split(':')
    if (kind !== 'output') return undefined
    const [row] = d1.rows(
      `SELECT coinbase, block_height, (SELECT MAX(height) FROM blocks WHERE blockchain = ?1) AS tip FROM outputs
       WHERE blockchain = ?1 AND txid = ?2 AND vout = ?3`,
      ...[blockchain, txid, Number(vout)],
    )
    const { confirmations } = config.chains[blockchain]
    const needed = row?.coinbase === 1 ? Math.max(confirmations, CHAINS[blockchain].coinbaseMaturity) : confirmations
    const isDeep = typeof row?.block_height === 'number' && Number(row.tip) - row.block_height + 1 >= needed
    return isDeep ? undefined : `${cause} was credited in block ${row?.block_height} below ${row?.tip}`
  }

  #sumReserved(userId: string): bigint {
    const { d1, blockchain } = this.#world
    const rows = d1.rows(
      `SELECT outputs.amount FROM outputs JOIN addresses USING (blockchain, address)
       WHERE blockchain = ? AND user_id = ? AND credited = 1 AND block_height IS NULL`,
      ...[blockchain, userId],
    )
    return rows.reduce((sum, { amount }) => sum + BigInt(String(amount)), 0n)
  }
}
