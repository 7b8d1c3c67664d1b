import { PAGE_ROWS, TABLE_ROWS } from '../../../contract/limits.ts'
import { formatFixedAmount } from '../../../protocol/amount.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { cutPage, parseNumberCursor } from '../../platform/d1/page-key.ts'
import { coinsJson, listJson } from '../../platform/http/coins-json.ts'
import { type CsvCell, writeCsv } from '../../platform/http/csv.ts'
import { type LedgerEntry, selectLedgerPage } from './sql/ledger-page.ts'

const TABLE_PAGE = 200

/** A page of the caller's ledger, the latest move first, as JSON text. @throws {AppError} 400 for the cursor. */
export async function ledgerPage(db: D1Database, userId: string, cursor: string | undefined): Promise<string> {
  const page = await readEntries(db, userId, cursor, PAGE_ROWS)
  const texts = page.shown.map(({ blockchain, seq, kind, subject, change, balance, at }) =>
    coinsJson({ id: `${blockchain}-${seq}`, at: unixSeconds(at), blockchain, kind, subject }, { change, balance }),
  )
  return listJson('entries', texts, page.cursor)
}

/**
 * The ledger as a table, as far as one answer goes; `cursor` where there is more. Amounts in coins, times as ISO 8601.
 * @throws {AppError} 400
 */
export async function ledgerTable(
  db: D1Database,
  userId: string,
  cursor: string | undefined,
): Promise<{ text: string; cursor: string | undefined }> {
  const rows: CsvCell[][] = []
  let from = cursor
  do {
    const page = await readEntries(db, userId, from, TABLE_PAGE)
    rows.push(...page.shown.map(rowOf))
    from = page.cursor
  } while (from !== undefined && rows.length < TABLE_ROWS)
  return { text: writeCsv(['time', 'chain', 'kind', 'subject', 'change', 'balance', 'id'], rows), cursor: from }
}

function rowOf({ at, blockchain, kind, subject, change, balance, seq }: LedgerEntry): CsvCell[] {
  const coins = [{ plain: formatFixedAmount(change) }, { plain: formatFixedAmount(balance) }]
  return [{ plain: new Date(at).toISOString() }, blockchain, kind, subject, ...coins, `${blockchain}-${seq}`]
}

async function readEntries(db: D1Database, userId: string, cursor: string | undefined, limit: number) {
  const found = await selectLedgerPage(db, { userId, before: parseNumberCursor(cursor), limit: limit + 1 })
  return cutPage(found, ({ place }) => String(place), limit)
}
