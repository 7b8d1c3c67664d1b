import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localSql } from '../../../scripts/admin/local-sql.ts'
import { makeAdmin, type RunSql } from '../../../scripts/admin/make-admin.ts'
import { remoteSql } from '../../../scripts/admin/remote-sql.ts'

const SCHEMA = await readFile(new URL('../../../d1-migrations/0001_schema.sql', import.meta.url), 'utf8')

describe('npm run admin', () => {
  let state: string
  let db: DatabaseSync
  let runSql: RunSql
  beforeEach(async () => {
    state = await mkdtemp(join(tmpdir(), 'hookline-admin-'))
    const folder = join(state, 'd1', 'miniflare-D1DatabaseObject')
    await mkdir(folder, { recursive: true })
    new DatabaseSync(join(folder, 'metadata.sqlite')).close()
    db = new DatabaseSync(join(folder, 'f00.sqlite'))
    db.exec('PRAGMA journal_mode = WAL')
    db.exec(SCHEMA)
    runSql = await localSql(state)
  })
  afterEach(async () => {
    db.close()
    await rm(state, { recursive: true })
  })

  const addUser = (email: string, status = 1) =>
    db
      .prepare(
        `INSERT INTO users (id, email, password_hash, first_name, last_name, status, created_at)
         VALUES (?1, ?1, 'x', 'A', 'B', ?2, 0)`,
      )
      .run(email, status)
  const admins = () =>
    db
      .prepare("SELECT email, status FROM users WHERE role = 'admin'")
      .all()
      .map((row) => ({ ...row }))

  it('makes an admin of one account, while the database is open elsewhere', async () => {
    addUser('ada@example.com')
    addUser('eve@example.com')
    expect(await makeAdmin(runSql, 'Ada@Example.com')).toBe('ada@example.com is an admin now.')
    expect(admins()).toEqual([{ email: 'ada@example.com', status: 1 }])
  })

  it('is in the audit log', async () => {
    addUser('ada@example.com')
    await makeAdmin(runSql, 'ada@example.com')
    const rows = db.prepare('SELECT actor, account, act, subject FROM audit').all()
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { actor: 'command', account: 'ada@example.com', act: 'role.changed', subject: 'role:admin' },
    ])
  })

  it('counts as the identity check, which nobody else can make for the first admin', async () => {
    addUser('ada@example.com', 3)
    await makeAdmin(runSql, 'ada@example.com')
    expect(admins()).toEqual([{ email: 'ada@example.com', status: 1 }])
  })

  it('A46: does not promote who has not confirmed the address', async () => {
    addUser('ada@example.com', 2)
    await expect(makeAdmin(runSql, 'ada@example.com')).rejects.toThrow('is not confirmed yet')
    expect(admins()).toEqual([])
  })

  it.each(['nobody@example.com', 'closed@example.com', "' OR 1=1 --", "x'; DROP TABLE users; --", ''])(
    'says that there is no open account with %j, and changes nothing',
    async (email) => {
      addUser('closed@example.com', 0)
      addUser('ada@example.com')
      await expect(makeAdmin(runSql, email)).rejects.toThrow('No open account')
      expect(admins()).toEqual([])
    },
  )

  it('accepts an address with a quote in it', async () => {
    addUser("o@example'com")
    await makeAdmin(runSql, "o@example'com")
    expect(admins()).toEqual([{ email: "o@example'com", status: 1 }])
  })

  it('says what to do when there is no local state', async () => {
    await expect(localSql(join(state, 'nothing'))).rejects.toThrow('npm start')
    await mkdir(join(state, 'empty', 'd1', 'miniflare-D1DatabaseObject'), { recursive: true })
    await writeFile(join(state, 'empty', 'd1', 'miniflare-D1DatabaseObject', 'x.sqlite'), '')
    await expect(localSql(join(state, 'empty'))).rejects.toThrow('npm start')
  })

  describe('--remote', () => {
    it('runs the same statement through Wrangler on the deployed database', async () => {
      addUser("o@example'com")
      const calls: string[][] = []
      const remote = remoteSql(async (args) => {
        calls.push(args)
        const results = db.prepare(args.at(-1) ?? '').all()
        return { ok: true, output: `a notice\n${JSON.stringify([{ results, success: true, meta: {} }])}`, errors: '' }
      }, 'wrangler.production.toml')
      expect(await makeAdmin(remote, "o@example'com")).toContain('is an admin')
      const fixed = ['d1', 'execute', 'DB', '--remote', '--config', 'wrangler.production.toml', '--json', '--command']
      expect(calls[0]?.slice(0, -1)).toEqual(fixed)
      expect(admins()).toHaveLength(1)
    })

    it('reports the output of Wrangler when it fails', async () => {
      const remote = remoteSql(
        async () => ({ ok: false, output: '', errors: '\u001b[31m✘ [ERROR]\u001b[0m You are not logged in' }),
        'x.toml',
      )
      await expect(makeAdmin(remote, 'a@b.co')).rejects.toThrow(/database:\nYou are not logged in$/)
      const odd = remoteSql(async () => ({ ok: true, output: '[]', errors: '' }), 'x.toml')
      await expect(makeAdmin(odd, 'a@b.co')).rejects.toThrow('unexpected')
    })
  })
})
