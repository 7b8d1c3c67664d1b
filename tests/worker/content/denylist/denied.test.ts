import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  insertDeniedStatements,
  selectDenied,
  selectDeniedChanges,
  selectDeniedValues,
} from '../../../../worker/content/denylist/denied.ts'
import { insertDenied, liftDenied } from '../../../../worker/features/reports/sql/deny.ts'
import { clearTables } from '../../features/sites/sql/clear-tables.ts'
import { add, clear, count, read } from '../../rows.ts'

const { DB } = env

beforeEach(clearTables)

describe('the denylist', () => {
  const entry = (name: string, kind: 'txid' | 'cid' = 'txid') => ({
    ...{ kind, value: name, digest: name, reason: 'why', deniedBy: 'admin' },
  })
  const report = (id: string, kind: string, status: string) =>
    add('reports', { id: `${kind}-${id}`, kind, digest: id, value: id, status })

  beforeEach(() => clear('denied', 'reports'))

  it('takes a value once more with a new number, and decides the open report of it', async () => {
    await report('a', 'txid', 'open')
    await report('a', 'cid', 'open')
    await report('b', 'txid', 'open')
    await report('c', 'txid', 'dismissed')
    for (const name of ['a', 'c', 'a']) await insertDenied(DB, entry(name), 5)
    expect(await read('denied', 'digest', 'seq')).toEqual({ a: 3, c: 2 })
    expect(await read('reports', 'id', 'status')).toEqual({
      ...{ 'cid-a': 'open', 'txid-a': 'denied', 'txid-b': 'open', 'txid-c': 'dismissed' },
    })
  })

  it('lets a value go that is on it, and has the report of it dismissed', async () => {
    for (const id of ['a', 'b']) await report(id, 'txid', 'denied')
    await report('a', 'cid', 'denied')
    await report('c', 'txid', 'open')
    await DB.batch([...insertDeniedStatements(DB, entry('a'), 5), ...insertDeniedStatements(DB, entry('b'), 5)])
    await DB.batch([...insertDeniedStatements(DB, entry('a', 'cid'), 5), ...insertDeniedStatements(DB, entry('c'), 5)])
    const acts = await count('audit')
    const lifting = { by: 'admin', reason: undefined, now: 6 }
    await liftDenied(DB, entry('a'), lifting)
    await liftDenied(DB, entry('a'), lifting)
    await liftDenied(DB, entry('c'), lifting)
    expect(await count('audit')).toBe(acts + 2)
    expect(await read('denied', 'kind || digest', "lifted || ':' || seq")).toEqual({
      ...{ cida: '0:3', txida: '1:5', txidb: '0:2', txidc: '1:6' },
    })
    expect(await read('reports', 'id', 'status')).toEqual({
      ...{ 'cid-a': 'denied', 'txid-a': 'dismissed', 'txid-b': 'denied', 'txid-c': 'open' },
    })
  })

  it('has a CID that is behind two values until both are lifted', async () => {
    const cid = { kind: 'cid', value: 'c', digest: 'c' } as const
    for (const name of ['a', 'b']) await insertDenied(DB, { ...entry(name), cids: [cid] }, 5)
    const lifting = { by: 'admin', reason: undefined, now: 6, behind: ['c'] }
    await liftDenied(DB, entry('b'), lifting)
    expect(await read('denied', 'digest', 'lifted')).toEqual({ a: 0, b: 1, c: 0 })
    await liftDenied(DB, entry('a'), lifting)
    expect(await read('denied', 'digest', 'lifted')).toEqual({ a: 1, b: 1, c: 1 })
  })

  it('says why a CID is on it that was denied itself, whatever else it is behind', async () => {
    const cid = { kind: 'cid', value: 'c', digest: 'c' } as const
    await insertDenied(DB, { ...entry('c', 'cid'), reason: 'an order' }, 5)
    await insertDenied(DB, { ...entry('a'), cids: [cid] }, 6)
    expect(await read('denied', 'digest', "reason || ' ' || seq")).toMatchObject({ c: 'an order 1' })
    await liftDenied(DB, entry('a'), { by: 'admin', reason: undefined, now: 7, behind: ['c'] })
    expect(await read('denied', 'digest', 'lifted')).toEqual({ a: 1, c: 0 })
  })

  it('is read by what changed, and by what is on it, a page at a time', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await insertDenied(DB, entry(name), 5)
    await liftDenied(DB, entry('b'), { by: 'admin', reason: undefined, now: 6 })
    expect((await selectDeniedChanges(DB, 4, 9)).changes).toEqual([{ kind: 'txid', digest: 'b', lifted: true, seq: 5 }])
    const changes = async (after: number, limit: number) => {
      const { changes, last } = await selectDeniedChanges(DB, after, limit)
      return [changes.map(({ digest, lifted }) => digest + (lifted ? ' lifted' : '')), last]
    }
    expect(await changes(1, 2)).toEqual([['c', 'd'], 5])
    expect(await changes(3, 9)).toEqual([['d', 'b lifted'], 5])
    expect((await selectDenied(DB, 4, 9)).map(({ value }) => value)).toEqual(['c', 'a'])
    expect((await selectDenied(DB, 9, 1)).map(({ value }) => value)).toEqual(['d'])
    expect((await selectDeniedValues(DB, 1, 1)).map(({ value }) => value)).toEqual(['c'])
    expect((await selectDeniedValues(DB, 0, 9)).map(({ value }) => value)).toEqual(['a', 'c', 'd'])
    await clear('denied')
    expect(await changes(0, 9)).toEqual([[], 0])
  })
})
