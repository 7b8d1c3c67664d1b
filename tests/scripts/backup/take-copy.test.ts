import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nextCopy } from '../../../scripts/backup/copy-folders.ts'
import { copyOrder, foreignKeys } from '../../../scripts/backup/copy-order.ts'
import type { Cell } from '../../../scripts/backup/copy-tables.ts'
import { fillDatabase } from '../../../scripts/backup/fill-database.ts'
import { PLAIN } from '../../../scripts/backup/part-folder.ts'
import { repairDatabase } from '../../../scripts/backup/repair.ts'
import { newDatabase, readSchema } from '../../../scripts/backup/schema.ts'
import { copyTables, finishCopy } from '../../../scripts/backup/take-copy.ts'

let folder: string
let db: DatabaseSync
let asked: string[]
/** What happens before the first page of a table is read. */
let meanwhile: Record<string, string>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-take-'))
  db = newDatabase()
  asked = []
  meanwhile = {}
  db.exec(`INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at) VALUES ('u', 'a@b.co', 'x', '', '', 1, 1);
    INSERT INTO chain_states (blockchain, mark) VALUES ('Bitcoin', 'of the agent');
    INSERT INTO blocks (blockchain, height, hash) VALUES ('Bitcoin', 100, 'tip');
    INSERT INTO folders (id, user_id, name, blockchain, created_at) VALUES ('f', 'u', 'f', 'Bitcoin', 1);
    INSERT INTO ledger (user_id, blockchain, seq, amount, balance, cause, created_at) VALUES ('u', 'Bitcoin', 1, '9', '9', 'output:t:0', 1)`)
  addItem('old', 402)
})
afterEach(() => rmSync(folder, { recursive: true }))

function addItem(id: string, status: number): void {
  db.exec(item(id, status))
}

function item(id: string, status: number): string {
  return `INSERT INTO items (id, user_id, folder_id, name, mimetype, blockchain, size, chunk_size, chunks, created_at, updated_at, status)
    VALUES ('${id}', 'u', 'f', '${id}', 'text/plain', 'Bitcoin', 10, 10, 1, 1, 1, ${status});`
}

async function read(sql: string): Promise<Cell[][]> {
  asked.push(sql)
  const [, table = ''] = /FROM "(\w+)" WHERE/.exec(sql) ?? []
  const change = meanwhile[table]
  delete meanwhile[table]
  if (change === 'fail') throw new Error('gone')
  if (change !== undefined) db.exec(change)
  const rows = db
    .prepare(sql)
    .all()
    .map((row) => Object.values(row))
  return rows.map((row) => row.map((value) => (typeof value === 'string' || typeof value === 'number' ? value : null)))
}

/** The database that is restored of a copy which is taken now. */
async function restored() {
  const state = await copyTables(folder, { read, sealing: PLAIN })
  await finishCopy(folder, state, 1)
  const filled = await fillDatabase(folder, join(folder, 'restored.sqlite'), undefined)
  const repaired = repairDatabase(filled, 'copy')
  return { rows: (sql: string) => filled.db.prepare(sql).all(), repaired }
}

describe('the order of a copy', () => {
  it('has each table once, and those that refer before those that they refer to', () => {
    const { tables } = readSchema()
    const order = copyOrder(db, tables).map(({ name }) => name)
    expect(order.toSorted()).toEqual(tables.toSorted())
    for (const table of tables) {
      for (const { parent } of foreignKeys(db, table)) {
        if (parent !== table) expect(order.indexOf(table), `${table} and ${parent}`).toBeLessThan(order.indexOf(parent))
      }
    }
  })
})

describe('a copy of a database that is being used', () => {
  it('has no row that came after its beginning', async () => {
    meanwhile = {
      ledger: item('new', 402),
      users: `INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at) VALUES ('v', 'v@b.co', 'x', '', '', 1, 1)`,
    }
    const { rows } = await restored()
    expect(rows('SELECT id FROM items')).toEqual([{ id: 'old' }])
    expect(rows('SELECT id FROM users')).toEqual([{ id: 'u' }])
    expect(rows('SELECT items FROM folders')).toEqual([{ items: 1 }])
    expect(rows('SELECT user_id, items, bytes FROM holdings ORDER BY user_id')).toEqual([
      { user_id: '', items: 1, bytes: 10 },
      { user_id: 'u', items: 1, bytes: 10 },
    ])
  })

  it('credits an output as its ledger says, whatever came later', async () => {
    const output = (txid: string, credited: number, height: number) =>
      `INSERT INTO outputs (blockchain, txid, vout, address, amount, coinbase, seen_at, in_mempool, block_hash, block_height, credited)
       VALUES ('Bitcoin', '${txid}', 0, 'a', '9', 0, 1, 0, 'h', ${height}, ${credited});`
    db.exec(output('t', 1, 90) + output('later', 0, 101))
    meanwhile = { outputs: `UPDATE outputs SET credited = 1 - credited, written_off = (txid = 't')` }
    const { rows } = await restored()
    expect(rows('SELECT txid, credited, written_off, block_height FROM outputs ORDER BY txid')).toEqual([
      { txid: 'later', credited: 0, written_off: 0, block_height: null },
      { txid: 't', credited: 1, written_off: 0, block_height: 90 },
    ])
  })

  it('pays out no withdrawal that was refunded since as refunded: its record says so again', async () => {
    db.exec(`INSERT INTO ledger (user_id, blockchain, seq, amount, balance, cause, created_at) VALUES ('u', 'Bitcoin', 2, '-5', '4', 'withdrawal:w', 1);
      INSERT INTO withdrawals (id, user_id, blockchain, address, script, amount, fee, fee_rate, state, created_at) VALUES ('w', 'u', 'Bitcoin', 'a', 's', '5', '0', '1', 'waiting', 1)`)
    meanwhile = { withdrawals: `UPDATE withdrawals SET state = 'refunded'` }
    const { rows, repaired } = await restored()
    expect(rows('SELECT state FROM withdrawals')).toEqual([{ state: 'waiting' }])
    expect(repaired.changed.map(({ what }) => what).join()).toContain('withdrawals that ended')
  })

  it('writes an item again that was stored since, from the first transaction that is missing', async () => {
    db.exec(`UPDATE items SET status = 202;
      INSERT INTO addresses (blockchain, address, script, user_id, kind, state, created_at) VALUES ('Bitcoin', 'a', 's', 'u', 'request', 'current', 1);
      INSERT INTO payment_requests (id, user_id, target, blockchain, address, item_set, amount, fee_rate, network_fee, storage_fee, state, created_at, expires_at) VALUES ('r', 'u', 'Bitcoin', 'Bitcoin', 'a', 'old', '5', '1', '0', '5', 'settled', 1, 2);
      INSERT INTO ledger (user_id, blockchain, seq, amount, balance, cause, created_at) VALUES ('u', 'Bitcoin', 2, '-5', '4', 'request:r', 1);
      INSERT INTO tx_chains (blockchain, id, coin_txid, coin_vout, coin_value, coin_script, script, state) VALUES ('Bitcoin', 1, 'c', 0, '1', '', '', 'open');
      INSERT INTO transactions (blockchain, txid, tx_chain, seq, item_id, item_index, bundle, offset, length, vsize, fee, change_vout, change_value, state)
        VALUES ('Bitcoin', 'x', 1, 0, 'old', 0, '', 0, 0, 0, '0', 0, '0', 'mined');
      INSERT INTO writes (item_id, blockchain, target, request_id, state, data_bytes, transactions, next_index, created_at) VALUES ('old', 'Bitcoin', 'Bitcoin', 'r', 'writing', 80, 2, 1, 1)`)
    meanwhile = {
      writes: `UPDATE writes SET state = 'done', next_index = 2, fold_from = 5; UPDATE items SET status = 200;
        INSERT INTO item_txids (item_id, txids) VALUES ('old', 'xy')`,
    }
    const { rows } = await restored()
    expect(rows('SELECT state, next_index, fold_from FROM writes')).toEqual([
      { state: 'writing', next_index: 1, fold_from: null },
    ])
    expect(rows('SELECT status FROM items')).toEqual([{ status: 202 }])
  })

  it('lists a row that refers to none and deletes it', async () => {
    db.exec(`INSERT INTO webhooks (id, user_id, url, secret, types, created_at, made_by) VALUES ('w', 'u', 'https://a.io', 's', '[]', 1, 'login');
      INSERT INTO webhook_deliveries (webhook_id, event_seq, next_attempt_at) VALUES ('w', 1, 1)`)
    meanwhile = { webhooks: 'DELETE FROM webhooks' }
    const { rows, repaired } = await restored()
    expect(rows('SELECT * FROM webhook_deliveries')).toEqual([])
    expect(repaired.dangling).toMatchObject([{ table: 'webhook_deliveries', parent: 'webhooks' }])
    expect(repaired.dangling[0]?.rows[0]).toContain('"webhook_id":"w"')
  })

  it('begins each chain stopped, with a mark that no agent has', async () => {
    const { rows } = await restored()
    expect(rows('SELECT blockchain, part, cause FROM stops ORDER BY part')).toEqual([
      { blockchain: 'Bitcoin', part: 'payouts', cause: 'hand' },
      { blockchain: 'Bitcoin', part: 'writing', cause: 'hand' },
    ])
    expect(rows('SELECT mark FROM chain_states')).toEqual([{ mark: 'restored-copy' }])
  })
})

describe('a copy that was interrupted', () => {
  it('goes on at the page that was not read', async () => {
    for (let n = 0; n < 1_200; n++) addItem(`item-${n}`, 402)
    const paged = () => asked.filter((sql) => sql.includes('FROM "items" WHERE')).length
    meanwhile = { folders: 'fail' }
    await expect(copyTables(folder, { read, sealing: PLAIN })).rejects.toThrow('gone')
    const before = paged()
    expect(before).toBeGreaterThan(1)
    const { rows } = await restored()
    expect(paged()).toBe(before)
    expect(rows('SELECT COUNT(*) AS n FROM items')).toEqual([{ n: 1_201 }])
  })

  it('is not gone on with after a day, when what it refers to may be gone', async () => {
    meanwhile = { users: 'fail' }
    const now = Date.now()
    const { folder: first } = await nextCopy(folder, now)
    await expect(copyTables(first, { read, sealing: PLAIN })).rejects.toThrow('gone')
    expect(await nextCopy(folder, now + 3_600_000)).toEqual({ folder: first, isNew: false })
    expect(await nextCopy(folder, now + 25 * 3_600_000)).toMatchObject({ isNew: true })
  })
})
