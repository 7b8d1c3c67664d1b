import type { Blockchain } from '../../../protocol/chains.ts'
import { firstRow } from '../../platform/d1/first-row.ts'
import { assertionStatement } from '../../platform/d1/guarded-batch.ts'

/** A random text by which the storage of an agent and the database know each other. */
export interface AgentMark {
  mark: string
  /** Whether the database had it once: one that lacks it since is another, or was restored to before the first step. */
  isNoted: boolean
}

/** What the storage of a chain's agent has: no restore of the database changes it. */
export interface PayoutNumbers {
  /** The number of payouts that were begun. */
  read(): Promise<number>
  /** A number that is lower than the stored one changes nothing. */
  write(number: number): Promise<void>
  /** The mark of this storage, made where it has none. */
  readMark(): Promise<AgentMark>
  /** Notes that the database has the mark. */
  noteMark(mark: string): Promise<void>
}

/** Where these are in the storage of an agent. */
const [PAYOUTS, MARK] = ['payouts', 'mark']

/**
 * Number and mark in the storage of an agent. Two looks may overlap: the one with the older number may end later, and both may
 * find no mark.
 */
export function storedNumbers(storage: DurableObjectStorage): PayoutNumbers {
  return {
    read: async () => (await storage.get<number>(PAYOUTS)) ?? 0,
    write: async (number) =>
      await storage.transaction(async (transaction) => {
        if (number > ((await transaction.get<number>(PAYOUTS)) ?? 0)) await transaction.put(PAYOUTS, number)
      }),
    readMark: async () =>
      (await storage.get<AgentMark>(MARK)) ??
      (await storage.transaction(async (transaction) => {
        const made = (await transaction.get<AgentMark>(MARK)) ?? { mark: crypto.randomUUID(), isNoted: false }
        await transaction.put(MARK, made)
        return made
      })),
    noteMark: async (mark) => await storage.put<AgentMark>(MARK, { mark, isNoted: true }),
  }
}

/** The number of payouts that were begun, as the database has it. */
export async function selectPayoutNumber(db: D1Database, blockchain: Blockchain): Promise<number> {
  const row = await db
    .prepare('SELECT number FROM payout_numbers WHERE blockchain = ?')
    .bind(blockchain)
    .first<{ number: number }>()
  return row?.number ?? 0
}

/** Number and mark of a chain, as the database has them. */
export async function selectNumberAndMark(
  db: D1Database,
  blockchain: Blockchain,
): Promise<{ number: number; mark: string | undefined }> {
  const statement = db
    .prepare(
      `SELECT IFNULL((SELECT number FROM payout_numbers WHERE blockchain = ?1), 0) AS number,
         (SELECT mark FROM chain_states WHERE blockchain = ?1) AS mark`,
    )
    .bind(blockchain)
  const { number, mark } = await firstRow<{ number: number; mark: string | null }>(statement)
  return { number, mark: mark ?? undefined }
}

/** Stores the mark of a chain's agent, unless the database has one. Returns the one that it has. */
export async function insertMark(db: D1Database, blockchain: Blockchain, mark: string): Promise<string> {
  const statement = db
    .prepare(
      `INSERT INTO chain_states (blockchain, mark) VALUES (?1, ?2)
       ON CONFLICT (blockchain) DO UPDATE SET mark = IFNULL(mark, ?2) RETURNING mark`,
    )
    .bind(blockchain, mark)
  return (await firstRow<{ mark: string }>(statement)).mark
}

/** The statement that fails its batch where the database has a lower number: it was restored meanwhile. */
export function assertPayoutNumberStatement(
  db: D1Database,
  blockchain: Blockchain,
  number: number,
): D1PreparedStatement {
  return assertionStatement(
    db,
    'EXISTS (SELECT 1 FROM payout_numbers WHERE blockchain = ? AND number >= ?)',
    ...[blockchain, number],
  )
}

/** The statement that fails its batch where the database has this mark and no lower number: it is not older than what the agent has. */
export function assertDoubtfulStatement(
  db: D1Database,
  blockchain: Blockchain,
  { number, mark }: { number: number; mark: string },
): D1PreparedStatement {
  return assertionStatement(
    db,
    `IFNULL((SELECT number FROM payout_numbers WHERE blockchain = ?1), 0) < ?2
       OR (SELECT mark FROM chain_states WHERE blockchain = ?1) IS NOT ?3`,
    ...[blockchain, number, mark],
  )
}

/** The statements that raise the number of the database; they fail their batch where it is not `from` any more. */
export function raisePayoutNumberStatements(
  db: D1Database,
  blockchain: Blockchain,
  { from, to }: { from: number; to: number },
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      'IFNULL((SELECT number FROM payout_numbers WHERE blockchain = ?), 0) = ?',
      ...[blockchain, from],
    ),
    db
      .prepare(
        `INSERT INTO payout_numbers (blockchain, number) VALUES (?1, ?2)
         ON CONFLICT (blockchain) DO UPDATE SET number = ?2`,
      )
      .bind(blockchain, to),
  ]
}
