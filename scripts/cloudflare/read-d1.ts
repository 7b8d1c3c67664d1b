import { isRecord } from '../../worker/platform/http/is-record.ts'
import type { Cell, ReadRows } from '../backup/copy-tables.ts'
import { type Account, findDatabaseId } from './account.ts'
import { ApiError } from './ask-api.ts'

/**
 * Runs statements on a D1 database by its query endpoint, which stops nothing: rows as arrays
 * (https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/raw/).
 * @throws {ApiError} where there is no such database
 */
export async function d1Reader(account: Account, name: string): Promise<ReadRows> {
  const path = `/accounts/${account.id}/d1/database/${await findDatabaseId(account, name)}/raw`
  return async (sql) => {
    const [result]: unknown[] = asList(await account.ask('POST', path, { sql }))
    const rows = isRecord(result) && isRecord(result.results) ? result.results.rows : undefined
    if (!Array.isArray(rows)) throw new ApiError('The database answers without rows.', 0)
    return rows.map((row: unknown) => asList(row).map(asCell))
  }
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function asCell(value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new ApiError(`The database answers a value that is neither text nor a number: ${typeof value}.`, 0)
}
