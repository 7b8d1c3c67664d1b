import type { DatabaseSync } from 'node:sqlite'

/** A table as pages of it are read. */
export interface CopiedTable {
  name: string
  columns: { name: string; isBlob: boolean }[]
  /** What rows are ordered by: the rowid, or the primary key of a table that has none. */
  key: string[]
}

/**
 * What the code holds together without a foreign key: rows of the first table name rows of the second, and are read before them.
 * `item_txids` of a write are read after it, so that one that is folded has its bytes.
 */
const REFERENCES: readonly (readonly [string, string])[] = [
  ['transaction_inputs', 'transactions'],
  ['transactions', 'writes'],
  ['transactions', 'withdrawals'],
  ['progress', 'writes'],
  ['writes', 'item_txids'],
  ['writes', 'items'],
  ['payment_request_items', 'items'],
  ['items', 'folders'],
  ['folders', 'orders'],
  ['outputs', 'addresses'],
  ['domains', 'sites'],
]

/** The tables of which all rows are read at the same moment, with the highest rowid of each other: a few hundred rows. */
export const OF_THE_MOMENT = ['blocks', 'wallet_scans', 'payout_numbers', 'chain_states', 'webhook_position']

/** The tables in the order in which they are read: those that refer before those that they refer to. */
export function copyOrder(db: DatabaseSync, names: readonly string[]): CopiedTable[] {
  const order: string[] = []
  const visit = (name: string) => {
    if (order.includes(name)) return
    for (const referring of names) if (referring !== name && refersTo(db, referring, name)) visit(referring)
    order.push(name)
  }
  for (const name of names) visit(name)
  return order.map((name) => describeTable(db, name))
}

function refersTo(db: DatabaseSync, child: string, parent: string): boolean {
  if (REFERENCES.some(([from, to]) => from === child && to === parent)) return true
  return foreignKeys(db, child).some((key) => key.parent === parent)
}

/** A foreign key: the columns of a table, and of its parent. */
export interface ForeignKey {
  parent: string
  columns: [own: string, parents: string][]
}

export function foreignKeys(db: DatabaseSync, table: string): ForeignKey[] {
  const rows = db
    .prepare('SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq')
    .all(table)
  const keys = new Map<string, ForeignKey>()
  for (const { id, table: parent, from, to } of rows) {
    const key = keys.get(String(id)) ?? { parent: String(parent), columns: [] }
    key.columns.push([String(from), String(to)])
    keys.set(String(id), key)
  }
  return [...keys.values()]
}

function describeTable(db: DatabaseSync, name: string): CopiedTable {
  const columns = db.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(name)
  const { wr } = db.prepare('SELECT wr FROM pragma_table_list WHERE name = ?').get(name) ?? {}
  const primary = columns.filter(({ pk }) => Number(pk) > 0).toSorted((a, b) => Number(a.pk) - Number(b.pk))
  return {
    name,
    columns: columns.map((column) => ({ name: String(column.name), isBlob: column.type === 'BLOB' })),
    key: wr === 1 ? primary.map((column) => String(column.name)) : ['rowid'],
  }
}
