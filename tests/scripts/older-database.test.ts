import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localSql } from '../../scripts/admin/local-sql.ts'
import { findMissing, listMigrations, OlderDatabaseError } from '../../scripts/migrations.ts'
import { openBucket } from '../../scripts/run-worker.ts'

describe('the state of npm start', () => {
  let state: string
  beforeEach(async () => {
    state = await mkdtemp(join(tmpdir(), 'hookline-older-'))
    await (await openBucket(state)).close()
  })
  afterEach(async () => await rm(state, { recursive: true }))

  const applied = async (): Promise<unknown[]> => {
    const runSql = await localSql(state)
    return (await runSql('SELECT name FROM d1_migrations ORDER BY id')).map((row) => Object(row).name)
  }

  it('has every migration, and is opened again', async () => {
    expect(await applied()).toEqual(listMigrations())
    await (await openBucket(state)).close()
    expect(await applied()).toEqual(listMigrations())
  })

  it('is refused, and not changed, where its database was made before 1.0.0', async () => {
    const runSql = await localSql(state)
    await runSql('DELETE FROM d1_migrations')
    await runSql("INSERT INTO d1_migrations (name) VALUES ('0002_accounts.sql')")
    await expect(openBucket(state)).rejects.toThrow(
      '1.0.0 begins with an empty database, bucket and objects: `npm run reset` here; a new Worker name, database and bucket on Cloudflare.',
    )
    expect(await applied()).toEqual(['0002_accounts.sql'])
  })
})

describe('the migrations that a database lacks', () => {
  const known = ['0001_schema.sql', '0002_next.sql', '0003_last.sql']

  it.each([
    [[], known],
    [['0001_schema.sql'], ['0002_next.sql', '0003_last.sql']],
    [known, []],
  ])('of those that has %j are %j', (applied, missing) => {
    expect(findMissing(applied, known)).toEqual(missing)
  })

  it.each([['0001_items.sql'], ['0001_schema.sql', '0004_later.sql'], [null]])('refuses %j', (...applied) => {
    expect(() => findMissing(applied, known)).toThrow(OlderDatabaseError)
  })
})
