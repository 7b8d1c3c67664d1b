import { PAGE_ROWS, TABLE_ROWS } from '../../../contract/limits.ts'
import { formatFixedAmount } from '../../../protocol/amount.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { coinsJson } from '../../platform/http/coins-json.ts'
import { type CsvCell, writeCsv } from '../../platform/http/csv.ts'
import { invalidCursor } from '../../platform/http/errors.ts'
import { type LedgerEntry, selectLedgerPage } from './sql/ledger-page.ts'

const TABLE_PAGE = 200

/** A page of the caller's ledger, the latest move first, as JSON text. @throws {AppError} 400 for the cursor. */
export async function ledgerPage(db: D1Database, userId: string, cursor: string | undefined): Promise<string> {
  const { entries, next } = await readEntries(db, userId, cursor, PAGE_ROWS)
  const texts = entries.map(({ blockchain, seq, kind, subject, change, balance, at }) =>
    coinsJson({ id: `${blockchain}-${seq}`, at: unixSeconds(at), blockchain, kind, subject }, { change, balance }),
  )
  const more = next === undefined ? '' : `,"cursor":${JSON.stringify(next)}`
  return `{"entries":[${texts.join()}]${more}}`
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
    const { entries, next } = await readEntries(db, userId, from, TABLE_PAGE)
    rows.push(...entries.map(rowOf))
    from = next
  } while (from !== undefined && rows.length < TABLE_ROWS)
  return { text: writeCsv(['time', 'chain', 'kind', 'subject', 'change', 'balance', 'id'], rows), cursor: from }
}

function rowOf({ at, blockchain, kind, subject, change, balance, seq }: LedgerEntry): CsvCell[] {
  const coins = [{ plain: formatFixedAmount(change) }, { plain: formatFixedAmount(balance) }]
  return [{ plain: new Date(at).toISOString() }, blockchain, kind, subject, ...coins, `${blockchain}-${seq}`]
}

async function readEntries(db: D1Database, userId: string, cursor: string | undefined, limit: number) {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : parseCursor(cursor)
  const found = await selectLedgerPage(db, { userId, before, limit: limit + 1 })
  const entries = found.slice(0, limit)
  const last = entries.at(-1)
  return { entries, next: found.length > limit && last ? String(last.place) : undefined }
}

function parseCursor(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw invalidCursor()
}
