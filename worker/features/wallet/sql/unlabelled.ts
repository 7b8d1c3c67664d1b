import type { Blockchain } from '../../../../protocol/chains.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'
import type { AddressLabel } from '../address-label.ts'

type Unlabelled = AddressLabel & { address: string }

const toUnlabelled = rowReader<Unlabelled>({})

/** Addresses that the node's wallet does not know the owners of, with these, the newest first. */
export async function selectUnlabelled(db: D1Database, blockchain: Blockchain, limit: number): Promise<Unlabelled[]> {
  const { results } = await db
    .prepare(
      `SELECT address, kind, user_id, (SELECT id FROM payment_requests AS asked
         WHERE asked.blockchain = addresses.blockchain AND asked.address = addresses.address) AS request_id
       FROM addresses WHERE blockchain = ? AND labelled = 0 ORDER BY created_at DESC LIMIT ?`,
    )
    .bind(blockchain, limit)
    .all<Row<Unlabelled>>()
  return results.map(toUnlabelled)
}

/** The statement that records which addresses have their labels now, and which of them the node `refused` to label. */
export function markLabelledStatement(
  db: D1Database,
  blockchain: Blockchain,
  addresses: readonly string[],
  refused: readonly string[],
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE addresses SET labelled = IIF(address IN (SELECT value FROM json_each(?3)), 2, 1)
       WHERE blockchain = ?1 AND labelled = 0 AND address IN (SELECT value FROM json_each(?2))`,
    )
    .bind(blockchain, JSON.stringify(addresses), JSON.stringify(refused))
}
