import { env } from 'cloudflare:test'

type Value = string | number | null
export type Row = Record<string, Value>

/** What a row has where a test does not say: no more than its table asks for. `id` stands for a name of its own. */
const REST: Record<string, (id: string) => Row> = {
  addresses: () => ({
    blockchain: 'Bitcoin',
    script: '',
    user_id: 'ada',
    kind: 'deposit',
    state: 'current',
    created_at: 0,
  }),
  api_keys: (id) => ({ id, user_id: 'ada', name: '', hash: id, scopes: '[]', created_at: 0 }),
  blocks: () => ({ blockchain: 'Bitcoin' }),
  domains: () => ({ item_id: 'item', user_id: 'ada', status: 'active', record: '', created_at: 0, claimed_at: 0 }),
  events: () => ({ user_id: 'ada', type: 'item.stored', subject: '', data: '{}', at: 0 }),
  folders: (id) => ({ id, user_id: 'ada', name: id, blockchain: 'IPFS', created_at: 0 }),
  items: (id) => ({
    ...{
      id,
      user_id: 'ada',
      name: id,
      mimetype: 'text/plain',
      blockchain: 'Bitcoin',
      size: 1,
      chunk_size: 1,
      chunks: 1,
    },
    ...{ created_at: 0, updated_at: 0 },
  }),
  site_addresses: () => ({ user_id: 'ada', site_id: 'site', since_at: 0 }),
  tx_chains: () => ({
    ...{
      blockchain: 'Bitcoin',
      coin_txid: '',
      coin_vout: 0,
      coin_value: '1',
      coin_script: '',
      script: '',
      state: 'open',
    },
  }),
  ledger: () => ({ user_id: 'ada', blockchain: 'Bitcoin', balance: '0', created_at: 0 }),
  mail_links: (id) => ({ jti: id, user_id: 'ada', kind: 'verify', created_at: 0, expires_at: 100 }),
  mails: (id) => ({ id, recipient: 'ada@x.example', template: 'known', created_at: 0, next_attempt_at: 0 }),
  outputs: (id) => ({
    ...{ blockchain: 'Bitcoin', txid: id, vout: 0, address: 'address', amount: '1', coinbase: 0, seen_at: 0 },
    in_mempool: 0,
  }),
  passkeys: (id) => ({
    ...{ id, user_id: 'ada', name: '', credential_id: id, public_key: '', counter: 0, transports: '[]', created_at: 0 },
  }),
  payment_requests: (id) => ({
    ...{ id, user_id: 'ada', target: 'Bitcoin', blockchain: 'Bitcoin', item_set: id, amount: '1', state: 'open' },
    ...{ created_at: 0, expires_at: 100, fee_rate: '1000000000', network_fee: '0', storage_fee: '1' },
  }),
  payment_request_items: () => ({ waiting: 0 }),
  signed_bundles: () => ({ blockchain: 'Bitcoin' }),
  sessions: (id) => ({ jti: id, user_id: 'ada', created_at: 0, expires_at: 100 }),
  failed_records: () => ({ blockchain: 'Bitcoin', kind: 'item', reason: '', tries: 1, since: 0, retry_at: 0 }),
  sites: (id) => ({ id, user_id: 'ada', name: id, created_at: 0 }),
  transactions: (id) => ({
    ...{ blockchain: 'Bitcoin', txid: id, tx_chain: 1, seq: 0, bundle: '', offset: 0, length: 1, vsize: 1, fee: '1' },
    ...{ change_vout: 0, change_value: '1', state: 'sent' },
  }),
  users: (id) => ({
    ...{ id, email: `${id}@x.example`, password_hash: '', first_name: '', last_name: '', status: 1, created_at: 0 },
  }),
  waiting_domains: () => ({ item_id: 'item', user_id: 'ada', kind: 'item', created_at: 0, wait_until: 100 }),
  webhooks: (id) => ({ id, user_id: 'ada', url: '', secret: '', types: '[]', created_at: 0, made_by: 'login' }),
  withdrawals: (id) => ({
    ...{ id, user_id: 'ada', blockchain: 'Bitcoin', address: '', script: '', amount: '1', fee: '1', fee_rate: '1' },
    ...{ state: 'waiting', created_at: 0 },
  }),
  writes: () => ({ blockchain: 'Bitcoin', target: 'Bitcoin', request_id: 'request', state: 'queued', created_at: 0 }),
}

let made = 0

/** Adds rows to a table, in order. */
export async function add(table: string, ...rows: readonly Row[]): Promise<void> {
  const statements = rows.map((given) => {
    const row = { ...REST[table]?.(String(given.id ?? given.txid ?? given.jti ?? `${table}-${made++}`)), ...given }
    const columns = Object.keys(row).map((name) => `"${name}"`)
    return env.DB.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`).bind(
      ...Object.values(row),
    )
  })
  await env.DB.batch(statements)
}

/** Stands for the number of a row where {@link REST} has its name. */
const NUMBER = '{n}'

/** A value as SQL. */
function asSql(value: Value): string {
  return typeof value === 'string' ? `'${value.replaceAll(NUMBER, "' || n || '")}'` : String(value)
}

/**
 * Adds `count` rows to a table; each column is SQL that may speak of the row's number, `n`, from 1 on. The name of a row
 * is its number where a test does not say.
 */
export async function addMany(table: string, count: number, columns: Record<string, string> = {}): Promise<void> {
  const rest = Object.entries(REST[table]?.(NUMBER) ?? {}).map(([name, value]) => [name, asSql(value)])
  const all: Record<string, string> = { ...Object.fromEntries(rest), ...columns }
  const names = Object.keys(all).map((name) => `"${name}"`)
  await runSql(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO ${table} (${names.join()}) SELECT ${Object.values(all).join()} FROM numbers`,
    count,
  )
}

/** What the rows of a table have in a column, by what they have in another: what a statement changed, and what not. */
export async function read(table: string, key: string, column: string): Promise<Record<string, Value>> {
  const query = `SELECT ${key} AS name, ${column} AS value FROM ${table} ORDER BY name`
  const rows = await runSql<{ name: string; value: Value }>(query)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** Runs a statement with these values; returns the rows that it finds. */
export async function runSql<T = Record<string, unknown>>(statement: string, ...values: unknown[]): Promise<T[]> {
  return (
    await env.DB.prepare(statement)
      .bind(...values)
      .all<T>()
  ).results
}

/** The first row that a statement finds with these values. */
export async function firstRow<T = Record<string, unknown>>(
  statement: string,
  ...values: unknown[]
): Promise<T | null> {
  return await env.DB.prepare(statement)
    .bind(...values)
    .first<T>()
}

/** What is in a column of a table, in its order. */
export async function list(table: string, column: string): Promise<Value[]> {
  const rows = await runSql<{ value: Value }>(`SELECT ${column} AS value FROM ${table} ORDER BY 1`)
  return rows.map(({ value }) => value)
}

/** How many rows a table has. */
export async function count(table: string): Promise<number> {
  return (await firstRow<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))?.n ?? 0
}

/** Empties tables, those first that name others. */
export async function clear(...tables: readonly string[]): Promise<void> {
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
}
