import type { SendKind } from '../../../../contract/states.ts'
import { BLOCKCHAINS, type Blockchain } from '../../../../protocol/chains.ts'
import { firstRow } from '../../../platform/d1/first-row.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { type Row, rowReader } from '../../../platform/d1/row-reader.ts'

/** What left a wallet by a transaction that the database did not know; base units, `seenAt` in milliseconds. */
export interface Send {
  blockchain: Blockchain
  txid: string
  amount: bigint
  seenAt: number
  assigned: SendKind | undefined
}

const toSend = rowReader<Send>({ amount: BigInt })
const COLUMNS = 'blockchain, txid, amount, seen_at, assigned'

/** Sends that nobody has assigned, of one chain or of all, the oldest first. */
export async function selectUnassigned(db: D1Database, limit: number, blockchain?: Blockchain): Promise<Send[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM sends WHERE assigned IS NULL AND (?1 IS NULL OR blockchain = ?1) ORDER BY seen_at LIMIT ?2`,
    )
    .bind(blockchain ?? null, limit)
    .all<Row<Send>>()
  return results.map(toSend)
}

/** The send of a transaction. */
export async function selectSend(db: D1Database, txid: string): Promise<Send | undefined> {
  const row = await db
    // The key begins with the chain.
    .prepare(`SELECT ${COLUMNS} FROM sends WHERE blockchain IN (SELECT value FROM json_each(?)) AND txid = ?`)
    .bind(JSON.stringify(BLOCKCHAINS), txid)
    .first<Row<Send>>()
  return row ? toSend(row) : undefined
}

/** What left the wallet of a chain and is not assigned, in base units. */
export async function sumUnassigned(db: D1Database, blockchain: Blockchain): Promise<bigint> {
  const statement = db
    .prepare(
      // As text: D1 returns a number as a double.
      `SELECT CAST(IFNULL(SUM(CAST(amount AS INTEGER)), 0) AS TEXT) AS sum FROM sends
       WHERE blockchain = ? AND assigned IS NULL`,
    )
    .bind(blockchain)
  return BigInt((await firstRow<{ sum: string }>(statement)).sum)
}

/** The statements that assign a send; they fail their batch where it is assigned already. `loss` in base units. */
export function assignSendStatements(
  db: D1Database,
  { blockchain, txid }: Pick<Send, 'blockchain' | 'txid'>,
  { as, loss }: { as: SendKind; loss: bigint },
): D1PreparedStatement[] {
  return [
    assertionStatement(
      db,
      'EXISTS (SELECT 1 FROM sends WHERE blockchain = ? AND txid = ? AND assigned IS NULL)',
      ...[blockchain, txid],
    ),
    db
      .prepare('UPDATE sends SET assigned = ?, loss = ? WHERE blockchain = ? AND txid = ?')
      .bind(as, loss.toString(), blockchain, txid),
  ]
}
