import type { Blockchain } from '../../../../protocol/chains.ts'

/** Rows added up by one statement. */
const ROWS = 20_000

/** SQL for the sum of `amount`, a column of decimal texts, in two parts: none passes what an integer of SQLite holds. */
const sumOf = (condition: string) =>
  `CAST(IFNULL(SUM(IIF(${condition}, CAST(amount AS INTEGER) / 1000000000, 0)), 0) AS TEXT) AS high,
   CAST(IFNULL(SUM(IIF(${condition}, CAST(amount AS INTEGER) % 1000000000, 0)), 0) AS TEXT) AS low`

interface SumRow {
  high: string
  low: string
  last: number | null
}

/**
 * Sums `amount` over all rows of a table, in statements for ranges of row numbers. A row that is added during this may
 * be counted or not: the caller checks whether something moved.
 */
async function sumTable(
  db: D1Database,
  { table, condition, blockchain }: { table: 'ledger' | 'outputs'; condition: string; blockchain: Blockchain },
): Promise<bigint> {
  let sum = 0n
  for (let after = 0; ; ) {
    const row = await db
      .prepare(
        `SELECT ${sumOf(`blockchain = ?1 AND ${condition}`)}, MAX(place) AS last FROM (
           SELECT *, rowid AS place FROM ${table} WHERE rowid > ?2 ORDER BY rowid LIMIT ${ROWS})`,
      )
      .bind(blockchain, after)
      .first<SumRow>()
    if (!row || row.last === null) return sum
    sum += BigInt(row.high) * 1_000_000_000n + BigInt(row.low)
    after = row.last
  }
}

/** What the ledger owes to all accounts together, in base units. */
export async function sumOwed(db: D1Database, blockchain: Blockchain): Promise<bigint> {
  return await sumTable(db, { table: 'ledger', condition: 'true', blockchain })
}

/** What the ledger credited for outputs of the chain, less what was written off, and what it owes to all accounts together; base units. */
export async function sumLedger(db: D1Database, blockchain: Blockchain): Promise<{ credited: bigint; owed: bigint }> {
  return {
    credited: await sumTable(db, {
      table: 'ledger',
      condition: "(cause LIKE 'output:%' OR cause LIKE 'write-off:%')",
      blockchain,
    }),
    owed: await sumOwed(db, blockchain),
  }
}

/**
 * The sum of the outputs in blocks that pay our addresses, and of those of them that no ledger entry accounts for; base
 * units.
 */
export async function sumMined(db: D1Database, blockchain: Blockchain): Promise<{ mined: bigint; waiting: bigint }> {
  return {
    mined: await sumTable(db, { table: 'outputs', condition: 'block_height IS NOT NULL', blockchain }),
    waiting: await sumTable(db, {
      table: 'outputs',
      condition: 'block_height IS NOT NULL AND credited = 0',
      blockchain,
    }),
  }
}
