import { formatAmount } from '../../protocol/amount.ts'
import { differenceOf } from '../../worker/features/operate/difference-of.ts'
import { AdminError, type RunSql } from './make-admin.ts'

/** Milliseconds that the service has for it; it checks for requests every minute. */
const LONGEST = 180_000
const LOOK_EVERY = 2_000

/** The clock and the wait, for tests. */
export interface Clock {
  now(): number
  wait(ms: number): Promise<void>
}

/**
 * Asks the running service to compare ledger, wallet and chain, waits for that, and returns the result as a table.
 * `agrees` is false if any of them differ, if something left a wallet that nobody has assigned, or if a chain that was compared before is missing. Times are from the
 * database, since this machine's clock may differ.
 * @throws {AdminError} if the service does not do it
 */
export async function requestReconciliation(runSql: RunSql, clock: Clock): Promise<{ text: string; agrees: boolean }> {
  const begin = clock.now()
  const [requested] = await runSql(
    `UPDATE reconciliation_asks SET asked_at = MAX(begun_at + 1, unixepoch() * 1000) RETURNING asked_at`,
  )
  const at = readInteger(requested, 'asked_at')
  for (;;) {
    const rows = (await runSql('SELECT * FROM reconciliations ORDER BY blockchain')).map(readRow)
    const fresh = rows.filter(({ readAt }) => readAt >= at)
    const [waiting] = await runSql('SELECT 1 AS waiting FROM reconciliation_asks WHERE asked_at > begun_at')
    if (waiting === undefined && fresh.length > 0) {
      return describe(
        fresh,
        rows.filter((row) => !fresh.includes(row)),
      )
    }
    if (clock.now() - begin > LONGEST) {
      throw new AdminError(
        'The service did not finish within three minutes. Check that it runs and that its node answers.',
      )
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
  unassigned: bigint
  /** Milliseconds. */
  readAt: bigint
}

const AMOUNTS = ['ledger', 'wallet', 'chain', 'owed', 'held'] as const

function readRow(row: unknown): Row {
  const amount = (name: string) => readInteger(row, name)
  const [ledger, wallet, chain] = [amount('ledger'), amount('wallet'), amount('chain')]
  const [owed, held, unassigned, readAt] = [amount('owed'), amount('held'), amount('unassigned'), amount('read_at')]
  return { blockchain: readText(row, 'blockchain'), ledger, wallet, chain, owed, held, unassigned, readAt }
}

function readInteger(row: unknown, name: string): bigint {
  return BigInt(readText(row, name))
}

function readText(row: unknown, name: string): string {
  if (typeof row !== 'object' || row === null) throw new AdminError('The database returned an unexpected result.')
  return String(Reflect.get(row, name))
}

function describe(rows: readonly Row[], missing: readonly Row[]): { text: string; agrees: boolean } {
  const same = rows.every((row) => differenceOf(row) === 0n)
  const lines = rows.map((row) =>
    [row.blockchain.padEnd(10), ...AMOUNTS.map((name) => formatAmount(row[name]).padStart(20))].join(' '),
  )
  const head = ['chain'.padEnd(10), ...AMOUNTS.map((name) => name.padStart(20))].join(' ')
  const low = rows.flatMap(({ blockchain, owed, held }) =>
    held < owed ? `The wallet of ${blockchain} has less than the balances of all accounts.` : [],
  )
  const sent = rows.flatMap(({ blockchain, unassigned }) =>
    unassigned === 0n
      ? []
      : `${formatAmount(unassigned)} left the wallet of ${blockchain} by transactions that nobody has assigned: GET /v0/operate/send lists them.`,
  )
  const left = missing.map(
    ({ blockchain, readAt }) =>
      `${blockchain} was not compared: its node did not answer. The last time was ${new Date(Number(readAt)).toISOString()}.`,
  )
  const verdict = same ? 'Ledger, wallet and chain agree to the last unit.' : 'Ledger, wallet and chain differ.'
  return { text: [head, ...lines, verdict, ...sent, ...low, ...left].join('\n'), agrees: same && missing.length === 0 }
}
