import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import type { Row } from '../../../platform/d1/row-reader.ts'
import { type ConfirmationRule, type CreditableOutput, OUTPUT_COLUMNS, type Output, toCreditable } from './outputs.ts'

/** Deposits of a user that are deep enough and were found to be below `least`, at most `limit`. */
export async function selectSmallDeposits(
  db: D1Database,
  blockchain: Blockchain,
  userId: string,
  { height, coinbaseHeight, least, limit }: ConfirmationRule & { limit: number },
): Promise<CreditableOutput[]> {
  const { results } = await db
    .prepare(
      `SELECT ${OUTPUT_COLUMNS.replaceAll(/\w+/g, 'outputs.$&')}, addresses.user_id, addresses.kind
       FROM outputs INDEXED BY outputs_below
       CROSS JOIN addresses ON addresses.blockchain = outputs.blockchain AND addresses.address = outputs.address
       WHERE outputs.blockchain = ?1 AND addresses.user_id = ?2 AND below <= ?3 AND credited = 0 AND dropped = 0
         AND block_height <= IIF(coinbase = 1, ?4, ?5)
       LIMIT ?6`,
    )
    .bind(blockchain, userId, Number(least), coinbaseHeight, height, limit)
    .all<Row<CreditableOutput>>()
  return results.map(toCreditable)
}

/** The statement that fails its batch unless all deposits of a user that are deep enough and not credited are below `least`. */
export function assertSmallStatement(
  db: D1Database,
  blockchain: Blockchain,
  userId: string,
  { height, coinbaseHeight, least }: ConfirmationRule,
): D1PreparedStatement {
  return assertionStatement(
    db,
    `(SELECT TOTAL(outputs.amount) FROM addresses
       CROSS JOIN outputs INDEXED BY outputs_open USING (blockchain, address)
       WHERE user_id = ? AND kind = 'deposit' AND addresses.blockchain = ? AND credited = 0 AND dropped = 0
         AND block_height <= IIF(coinbase = 1, ?, ?)) < ?`,
    userId,
    blockchain,
    coinbaseHeight,
    height,
    Number(least),
  )
}

/** The statement that marks deposits as pending: with all that waits of their account they are below `least`. */
export function markSmallStatement(
  db: D1Database,
  blockchain: Blockchain,
  outputs: readonly Pick<Output, 'txid' | 'vout'>[],
  least: bigint,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE outputs SET below = ?1 WHERE blockchain = ?2 AND credited = 0 AND (txid, vout) IN (
         SELECT value ->> 'txid', value ->> 'vout' FROM json_each(?3))`,
    )
    .bind(Number(least), blockchain, JSON.stringify(outputs.map(({ txid, vout }) => ({ txid, vout }))))
}
