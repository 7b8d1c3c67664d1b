import type { SendKind } from '../../../../contract/states.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertionStatement } from '../../../platform/d1/guarded-batch.ts'
import { inParts } from '../../../platform/d1/in-parts.ts'
import { eachFolded } from '../../items/sql/folded.ts'

/** The statement that lists sends; those from before the first search count as assigned. */
export function insertSendsStatement(
  db: D1Database,
  blockchain: Blockchain,
  sends: readonly { txid: string; amount: bigint }[],
  { now, assigned }: { now: number; assigned: SendKind | undefined },
): D1PreparedStatement {
  const rows = sends.map(({ txid, amount }) => ({ txid, amount: amount.toString() }))
  return db
    .prepare(
      `INSERT INTO sends (blockchain, txid, amount, seen_at, assigned)
       SELECT ?, value ->> 'txid', value ->> 'amount', ?, ? FROM json_each(?) WHERE true
       ON CONFLICT (blockchain, txid) DO NOTHING`,
    )
    .bind(blockchain, now, assigned ?? null, JSON.stringify(rows))
}

/** The statement after which a listed send is assigned to the payout that it turned out to be. */
export function assignKnownSendStatement(
  db: D1Database,
  { blockchain, txid, isSweep, loss }: { blockchain: Blockchain; txid: string; isSweep: boolean; loss: bigint },
): D1PreparedStatement {
  return db
    .prepare(`UPDATE sends SET assigned = ?, loss = ? WHERE blockchain = ? AND txid = ? AND assigned IS NULL`)
    .bind(isSweep ? 'sweep' : 'withdrawal', loss.toString(), blockchain, txid)
}

/**
 * Those of the transactions that the database has neither signed nor listed among sends.
 * Folded transactions are looked up only in blocks above `above`, from which on the wallet was queried. Below there are
 * none, unless a chain was accepted that forks from ours below these blocks.
 */
export async function selectUnknown(
  db: D1Database,
  blockchain: Blockchain,
  txids: readonly string[],
  above: number,
): Promise<Set<string>> {
  const unknown = new Set<string>()
  for (const part of inParts(txids)) {
    const { results } = await db
      .prepare(
        `SELECT value AS txid FROM json_each(?2) WHERE NOT EXISTS (
           SELECT 1 FROM transactions WHERE blockchain = ?1 AND txid = value)
         AND NOT EXISTS (SELECT 1 FROM sends WHERE blockchain = ?1 AND txid = value)`,
      )
      .bind(blockchain, JSON.stringify(part))
      .all<{ txid: string }>()
    for (const { txid } of results) unknown.add(txid)
  }
  if (unknown.size > 0) {
    await eachFolded(db, blockchain, above, (txids) => {
      for (const txid of txids) unknown.delete(txid)
    })
  }
  return unknown
}

/** The statement that fails its batch while anything that left the wallet of a chain is not assigned. */
export function assertAssignedStatement(db: D1Database, blockchain: Blockchain): D1PreparedStatement {
  return assertionStatement(
    db,
    'NOT EXISTS (SELECT 1 FROM sends WHERE blockchain = ? AND assigned IS NULL)',
    ...[blockchain],
  )
}
