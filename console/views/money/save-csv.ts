import { transport } from '../../api/client.ts'

/** Most responses in one table: a million entries of the ledger. */
const MAX_ANSWERS = 100

/** Saves a whole list of the API as one file of comma-separated values. @throws {HooklineError} */
export async function saveCsv(path: string, filename: string): Promise<void> {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(await readTables(path), { type: 'text/csv' }))
  link.download = filename
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

async function readTables(path: string): Promise<string[]> {
  const tables: string[] = []
  let next: string | undefined = path
  while (next !== undefined && tables.length < MAX_ANSWERS) {
    const { pathname, searchParams } = new URL(next, location.origin)
    const query = Object.fromEntries(searchParams)
    const response = await transport.open({ method: 'GET', path: pathname, query, headers: { Accept: 'text/csv' } })
    const table = await response.text()
    // Each response begins with the names of the columns.
    tables.push(tables.length === 0 ? table : table.slice(table.indexOf('\n') + 1))
    next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
  }
  return tables
}
