import type { SendKind } from '../../../../contract/states.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'

/** The statement that lists sends; those from before the first comparison count as assigned. */
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
