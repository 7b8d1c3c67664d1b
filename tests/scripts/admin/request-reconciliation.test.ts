import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { requestReconciliation } from '../../../scripts/admin/request-reconciliation.ts'

// Long after the clock of the database, which nobody can stop here.
const NOW = Date.UTC(2100, 0, 1)

let db: DatabaseSync
let time: number
/** What the service does while the command waits, by the number of the wait. */
let service: (waits: number) => void
let waits: number
beforeEach(() => {
  db = new DatabaseSync(':memory:')
  db.exec(readFileSync(new URL('../../../d1-migrations/0001_schema.sql', import.meta.url), 'utf8'))
  time = NOW
  waits = 0
  service = () => undefined
})

const ask = () =>
  requestReconciliation(async (sql) => db.prepare(sql).all(), {
    now: () => time,
    async wait(ms) {
      time += ms
      service(++waits)
    },
  })
const compare = (blockchain: string, ledger: string, wallet: string, unassigned = '0') => {
  db.prepare('UPDATE reconciliation_asks SET begun_at = ?').run(time)
  db.prepare(
    `INSERT OR REPLACE INTO reconciliations (blockchain, ledger, wallet, chain, owed, held, read_at, unassigned)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(...[blockchain, ledger, wallet, wallet, '5', '900000000000'], time, unassigned)
}

describe('npm run admin -- reconcile', () => {
  it('waits for the running service and shows what it found, digit for digit', async () => {
    service = (n) => n === 3 && compare('Bitcoin', '9007199254740993', '9007199254740993')
    const { text, agrees } = await ask()
    expect(agrees).toBe(true)
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^chain +ledger +wallet +chain +owed +held$/),
      expect.stringMatching(/^Bitcoin +90071992.54740993 +90071992.54740993 +90071992.54740993 +0.00000005 +9000$/),
      'Ledger, wallet and chain agree to the last unit.',
    ])
  })

  it('reports a difference', async () => {
    service = () => compare('Dogecoin', '2', '1')
    expect(await ask()).toMatchObject({
      agrees: false,
      text: expect.stringContaining('Ledger, wallet and chain differ.'),
    })
  })

  it('reports what left a wallet and nobody has assigned, as the service does', async () => {
    service = () => compare('Bitcoin', '1', '1', '20000000')
    const { text, agrees } = await ask()
    expect(agrees).toBe(false)
    expect(text.split('\n').slice(2)).toEqual([
      'Ledger, wallet and chain differ.',
      '0.2 left the wallet of Bitcoin by transactions that nobody has assigned: GET /v0/operate/send lists them.',
    ])
  })

  it('reports which chain was not compared now, and which wallet holds less than accounts are owed', async () => {
    time -= 86_400_000
    compare('Dogecoin', '1', '1')
    time = NOW
    service = () => compare('Bitcoin', '1', '1')
    db.prepare(`CREATE TRIGGER poor AFTER INSERT ON reconciliations WHEN NEW.blockchain = 'Bitcoin'
      BEGIN UPDATE reconciliations SET held = '4' WHERE blockchain = 'Bitcoin'; END`).run()
    const { text, agrees } = await ask()
    expect(agrees).toBe(false)
    expect(text.split('\n').slice(2)).toEqual([
      'Ledger, wallet and chain agree to the last unit.',
      'The wallet of Bitcoin has less than the balances of all accounts.',
      'Dogecoin was not compared: its node did not answer. The last time was 2099-12-31T00:00:00.000Z.',
    ])
  })

  it('uses the clock of the database, not that of this machine', async () => {
    time = NOW + 3_600_000
    service = () => {
      db.prepare('UPDATE reconciliation_asks SET begun_at = ?').run(NOW)
      db.prepare(
        `INSERT OR REPLACE INTO reconciliations (blockchain, ledger, wallet, chain, owed, held, read_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ).run(...['Bitcoin', '1', '1', '1', '0', '1'], NOW)
    }
    expect(await ask()).toMatchObject({ agrees: true })
  })

  it('does not take an earlier comparison for the answer', async () => {
    time -= 60_000
    compare('Bitcoin', '1', '1')
    time = NOW
    await expect(ask()).rejects.toThrow('within three minutes')
  })
})
