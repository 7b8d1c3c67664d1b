import type { Blockchain } from '../../../protocol/chains.ts'
import { assertionStatement } from '../../platform/d1/guarded-batch.ts'

/** The number of payouts that were begun, as the storage of a chain's agent has it: no restore of the database changes it. */
export interface PayoutNumbers {
  read(): Promise<number>
  /** A number that is lower than the stored one changes nothing. */
  write(number: number): Promise<void>
}

/** Where that number is in the storage of an agent. */
const PAYOUTS = 'payouts'

/** The number in the storage of an agent. Two looks may overlap, and the one with the older number may end later. */
export function storedNumbers(storage: DurableObjectStorage): PayoutNumbers {
  return {
    read: async () => (await storage.get<number>(PAYOUTS)) ?? 0,
    write: async (number) =>
      await storage.transaction(async (transaction) => {
        if (number > ((await transaction.get<number>(PAYOUTS)) ?? 0)) await transaction.put(PAYOUTS, number)
      }),
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
