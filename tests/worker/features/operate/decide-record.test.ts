import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RecordAction } from '../../../../contract/states.ts'
import { decideRecord, findRecord } from '../../../../worker/features/operate/decide-record.ts'
import { listFailedRecords } from '../../../../worker/features/operate/list-failed-records.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { beaten, noted } from '../../noted-calls.ts'
import { add, addMany, clear, list, read } from '../../rows.ts'

const { DB } = env
const context = { db: DB, config: readConfig(env), now: 5, record: () => [] }
const decide = async (name: string, action: RecordAction) => decideRecord(context, await findRecord(DB, name), action)
beforeEach(() => clear('failed_records', 'withdrawals', 'writes', 'payment_requests', 'items', 'tx_chains'))

describe('what an operator decides about a record', () => {
  it('has a withdrawal that the node refused tried again, and none that goes on by itself', async () => {
    await add('withdrawals', { id: 'failed', state: 'failed' }, { id: 'waits' }, { id: 'other', state: 'failed' })
    for (const id of ['failed', 'waits']) await add('failed_records', { id, kind: 'refused', retry_at: 9 })
    for (const id of ['failed', 'waits']) await decide(`Bitcoin-refused-${id}`, 'retry')
    expect(await read('withdrawals', 'id', 'state')).toEqual({ failed: 'waiting', other: 'failed', waits: 'waiting' })
    expect(await list('failed_records', 'retry_at')).toEqual([0, 0])
  })

  it('has a withdrawal of the agent looked at again without a change of its state', async () => {
    await add('withdrawals', { id: 'failed', state: 'failed' })
    await add('failed_records', { id: 'failed', kind: 'withdrawal', retry_at: 9 })
    await decide('Bitcoin-withdrawal-failed', 'retry')
    expect([await list('withdrawals', 'state'), await list('failed_records', 'retry_at')]).toEqual([['failed'], [0]])
  })

  it('lets a withdrawal that is held be sent, by its own record', async () => {
    await add('withdrawals', { id: 'held', state: 'held' }, { id: 'more', state: 'held' })
    await decide('Bitcoin-held-held', 'retry')
    expect(await read('withdrawals', 'id', "state || ' ' || approved")).toEqual({ held: 'waiting 1', more: 'held 0' })
  })

  it('closes the record of an address of nobody by itself, once', async () => {
    const owner = { kind: 'owner', id: 'address' }
    await add('failed_records', owner, { ...owner, id: 'other' }, { ...owner, kind: 'item' })
    const found = await findRecord(DB, 'Bitcoin-owner-address')
    await decideRecord(context, found, 'close')
    expect(await list('failed_records', "kind || ' ' || id")).toEqual(['item address', 'owner other'])
    await expect(findRecord(DB, 'Bitcoin-owner-address')).rejects.toMatchObject({ status: 404 })
  })

  it.each<[string, RecordAction]>([
    ['request', 'close'],
    ['owner', 'retry'],
    ['tx_chain', 'settle'],
    ['item', 'close'],
    ['withdrawal', 'credit'],
  ])('is no act that makes no sense for the record of kind %s: %s', async (kind, action) => {
    await add('failed_records', { kind, id: 'a', retry_at: 9 })
    await expect(decide(`Bitcoin-${kind}-a`, action)).rejects.toMatchObject({ status: 400 })
    expect(await list('failed_records', 'retry_at')).toEqual([9])
  })
})

describe('a record that has changed since an operator read it', () => {
  it.each<[string, RecordAction]>([
    ['owner', 'close'],
    ['tx_chain', 'close'],
    ['item', 'retry'],
  ])('is left as it is: %s', async (kind, action) => {
    await add('failed_records', { kind, id: 'a', retry_at: 9 })
    const found = await findRecord(DB, `Bitcoin-${kind}-a`)
    const { db } = beaten(noted().context)
    await expect(decideRecord({ ...context, db }, found, action)).rejects.toMatchObject({
      ...{ status: 409, code: 'request_changing' },
    })
    expect(await list('failed_records', 'retry_at')).toEqual([9])
  })

  it('has nobody pay a withdrawal that was held and cancelled meanwhile', async () => {
    await add('withdrawals', { id: 'held', state: 'held' })
    const found = await findRecord(DB, 'Bitcoin-held-held')
    await DB.prepare("UPDATE withdrawals SET state = 'cancelled'").run()
    await expect(decideRecord(context, found, 'retry')).rejects.toMatchObject({ code: 'request_changing' })
    expect(await list('withdrawals', "state || ' ' || approved")).toEqual(['cancelled 0'])
  })
})

describe('the list of what waits', () => {
  it('is a hundred on a page, each once, also where many wait since the same moment', async () => {
    await addMany('failed_records', 205, { id: "printf('%03d', n)", since: 'n / 150' })
    const found: string[] = []
    let cursor: string | undefined
    for (const size of [100, 100, 5]) {
      const page = await listFailedRecords(DB, cursor)
      expect(page.records).toHaveLength(size)
      found.push(...page.records.map(({ id }) => id))
      cursor = page.cursor
    }
    expect([cursor, new Set(found).size]).toEqual([undefined, 205])
    await expect(listFailedRecords(DB, 'Bitcoin-item-1')).rejects.toMatchObject({ status: 400 })
  })
})
