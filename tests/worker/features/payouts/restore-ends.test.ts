import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type EndRecord, listEndRecords, putEndRecord } from '../../../../worker/features/payouts/record/end-records.ts'
import { noticeRestore } from '../../../../worker/features/payouts/restore/notice-restore.ts'
import { memoryNumbers } from '../../../kit/in-process/memory-numbers.ts'
import { beforeBatch } from '../../before-batch.ts'
import { add, clear, read } from '../../rows.ts'

const context = { db: env.DB, bucket: env.BUCKET, now: 1 }
/** An agent that has counted payouts, of which the database knows none. */
const numbers = { ...memoryNumbers(), read: async () => 5, write: async () => {} }

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await clear('transactions', 'tx_chains', 'withdrawals', 'stops', 'ledger')
  const { objects } = await env.BUCKET.list()
  await env.BUCKET.delete(objects.map(({ key }) => key))
})

function endOf(id: string, more: Partial<EndRecord> = {}): EndRecord {
  const asked = { id, account: 'service', address: 'x', script: '51', amount: 1n, fee: 1n, feeRate: 1n }
  return { ...asked, ended: 'paid_elsewhere', coin: undefined, ...more }
}

describe('ends of withdrawals that a restored database has lost', () => {
  it('are not counted among the fifty restored at a time where they did not end, for something was signed', async () => {
    const ids = Array.from({ length: 51 }, (_, index) => `signed-${index}`)
    await add('tx_chains', ...ids.map((_, id) => ({ id, blockchain: 'Dogecoin', coin_vout: id })))
    for (const [index, id] of ids.entries()) {
      await add('withdrawals', { id, blockchain: 'Dogecoin' })
      await add('transactions', {
        txid: id,
        blockchain: 'Dogecoin',
        withdrawal_id: id,
        tx_chain: index,
        state: 'dead',
        dead: 1,
      })
      await putEndRecord(env.BUCKET, 'Dogecoin', endOf(id))
    }
    expect(await noticeRestore(context, 'Dogecoin', numbers)).toBeUndefined()
    expect(new Set(Object.values(await read('withdrawals', 'id', 'state')))).toEqual(new Set(['waiting']))
  })

  it('are found on each page that the bucket lists them on, once', async () => {
    const ids = ['page-1', 'page-2', 'page-3']
    for (const id of ids) await putEndRecord(env.BUCKET, 'Bitcoin', endOf(id))
    const list = env.BUCKET.list.bind(env.BUCKET)
    const paged = vi.spyOn(env.BUCKET, 'list').mockImplementation((options) => list({ ...options, limit: 1 }))
    const found: string[] = []
    for await (const page of listEndRecords(env.BUCKET, 'Bitcoin')) {
      found.push(...page.map(({ id }) => id).filter((id) => id.startsWith('page')))
      if (found.length > ids.length) break
    }
    paged.mockRestore()
    expect(found).toEqual(ids)
  })

  it('are written down again, and end when their coins are back in the wallet', async () => {
    const coin = { txid: 'c'.repeat(64), vout: 0, value: 9n, script: '51' }
    await putEndRecord(env.BUCKET, 'Nativecoin', endOf('lost', { coin }))
    expect(await noticeRestore(context, 'Nativecoin', numbers)).toBeUndefined()
    expect(await read('withdrawals', 'id', 'ending')).toEqual({})
    await noticeRestore(context, 'Nativecoin', numbers, { isSettled: true })
    expect(await read('withdrawals', 'id', 'ending')).toEqual({ lost: 'paid_elsewhere' })
  })

  it('are restored by another call where one of them changed in between each time', async () => {
    await putEndRecord(env.BUCKET, 'Dogecoin', endOf('busy', { account: 'ada', ended: 'cancelled' }))
    const account = { user_id: 'ada', blockchain: 'Dogecoin' }
    await add('withdrawals', { ...account, id: 'busy' })
    await add('ledger', { ...account, seq: 1, amount: '-2', balance: '0', cause: 'withdrawal:busy' })
    let seq = 1
    const credit = () => add('ledger', { ...account, seq: ++seq, amount: '0', balance: '0', cause: `manual:${seq}` })
    const db = beforeBatch(env.DB, credit, 1, 20)
    await expect(noticeRestore({ ...context, db }, 'Dogecoin', numbers)).rejects.toThrow('being restored')
    expect(await noticeRestore(context, 'Dogecoin', numbers)).toBeUndefined()
    expect(await read('withdrawals', 'id', 'state')).toEqual({ busy: 'cancelled' })
  })
})
