import { formatAmount } from '../../protocol/amount.ts'
import { AdminError, type RunSql } from './make-admin.ts'

/** How long the service has to do it: it looks each minute whether it was asked, in milliseconds. */
const LONGEST = 180_000
const LOOK_EVERY = 2_000

/** What of the machine this needs: the time, and waiting. */
export interface Clock {
  now(): number
  wait(ms: number): Promise<void>
}

/**
 * Has the running service compare ledger, wallet and chain, waits for it, and answers what it found as a table.
 * `agrees` is false where any of them differ. @throws {AdminError} where the service does not do it.
 */
export async function askReconciliation(runSql: RunSql, clock: Clock): Promise<{ text: string; agrees: boolean }> {
  const begin = clock.now()
  await runSql(`UPDATE reconciliation_asks SET asked_at = ${begin}`)
  for (;;) {
    const rows = (await runSql(`SELECT * FROM reconciliations WHERE read_at >= ${begin} ORDER BY blockchain`)).map(
      readRow,
    )
    const [asked] = await runSql(`SELECT 1 AS waiting FROM reconciliation_asks WHERE asked_at > begun_at`)
    if (asked === undefined && rows.length > 0) return describe(rows)
    if (clock.now() - begin > LONGEST) {
      throw new AdminError('The service did not do it within three minutes. Does it run, and does its node answer?')
    }
    await clock.wait(LOOK_EVERY)
  }
}

interface Row {
  blockchain: string
  ledger: bigint
  wallet: bigint
  chain: bigint
  owed: bigint
  held: bigint
}

const AMOUNTS = ['ledger', 'wallet', 'chain', 'owed', 'held'] as const

function readRow(row: unknown): Row {
  if (typeof row !== 'object' || row === null) throw new AdminError('The database gave an unexpected answer.')
  const amount = (name: string) => BigInt(String(Reflect.get(row, name)))
  const [ledger, wallet, chain, owed, held] = [
    amount('ledger'),
    amount('wallet'),
    amount('chain'),
    amount('owed'),
    amount('held'),
  ]
  return { blockchain: String(Reflect.get(row, 'blockchain')), ledger, wallet, chain, owed, held }
}

function describe(rows: readonly Row[]): { text: string; agrees: boolean } {
  const agrees = rows.every(({ ledger, wallet, chain }) => ledger === wallet && wallet === chain)
  const lines = rows.map((row) =>
    [row.blockchain.padEnd(10), ...AMOUNTS.map((name) => formatAmount(row[name]).padStart(20))].join(' '),
  )
  const head = ['chain'.padEnd(10), ...AMOUNTS.map((name) => name.padStart(20))].join(' ')
  const verdict = agrees ? 'They agree to the last unit.' : 'They differ.'
  return { text: [head, ...lines, verdict].join('\n'), agrees }
}
