import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { requireAssigned, stopChain } from '../../../../worker/features/operate/stop-chain.ts'
import { noted } from '../../noted-calls.ts'
import { add, clear, list, read } from '../../rows.ts'

const context = { db: env.DB, now: 7, record: () => [] }
const order = (payouts: boolean, writing = false) => ({ payouts, writing, reason: 'a test' })
const stop = (cause: string, more: object = {}) => {
  return { blockchain: 'Bitcoin', part: 'payouts', cause, reason: '', since: 1, ...more }
}
beforeEach(() => clear('stops', 'failed_records', 'payout_numbers', 'sends'))

describe('payouts that an operator lets go on', () => {
  it('stay stopped while the bucket takes no records of them, and on other chains', async () => {
    const causes = ['hand', 'difference', 'restored', 'records']
    await add('stops', ...causes.map((cause) => stop(cause)), stop('hand', { blockchain: 'Dogecoin' }))
    expect(await stopChain(context, 'Bitcoin', order(false))).toMatchObject([{ cause: 'records' }])
    expect(await list('stops', 'blockchain || cause')).toEqual(['Bitcoinrecords', 'Dogecoinhand'])
  })

  it('are tried again at once, and nothing else that failed', async () => {
    const aside = { id: 'a', retry_at: 9 }
    await add('failed_records', { ...aside, kind: 'withdrawal' }, { ...aside, kind: 'item' })
    await add('failed_records', { ...aside, kind: 'withdrawal', blockchain: 'Dogecoin' })
    await stopChain(context, 'Bitcoin', order(true))
    expect(await list('failed_records', 'retry_at')).toEqual([9, 9, 9])
    await stopChain(context, 'Bitcoin', order(false))
    expect(await read('failed_records', 'blockchain || kind', 'retry_at')).toEqual({
      ...{ Bitcoinitem: 9, Bitcoinwithdrawal: 0, Dogecoinwithdrawal: 9 },
    })
  })

  it("are counted on from the agent's number, so that the same restore is not noticed again, and never from a lower one", async () => {
    await add('stops', stop('restored', { number: 8 }), stop('restored', { blockchain: 'Dogecoin', number: 3 }))
    await add('payout_numbers', { blockchain: 'Bitcoin', number: 5 }, { blockchain: 'Dogecoin', number: 4 })
    await stopChain(context, 'Bitcoin', order(true))
    expect(await read('payout_numbers', 'blockchain', 'number')).toEqual({ Bitcoin: 5, Dogecoin: 4 })
    for (const blockchain of ['Bitcoin', 'Dogecoin'] as const) await stopChain(context, blockchain, order(false))
    expect(await read('payout_numbers', 'blockchain', 'number')).toEqual({ Bitcoin: 8, Dogecoin: 4 })
  })

  it('say since when and why each part is stopped, as it was said first', async () => {
    await stopChain(context, 'Bitcoin', { ...order(true, true), reason: 'first' })
    await stopChain({ ...context, now: 9 }, 'Bitcoin', { ...order(true, false), reason: 'second' })
    expect(await read('stops', 'part', "since || ' ' || reason")).toEqual({ payouts: '7 first' })
  })
})

describe('what left the wallet', () => {
  it('keeps no payouts stopped that were not stopped for a restore, and nobody is asked', async () => {
    await add('stops', stop('hand'), stop('restored', { blockchain: 'Dogecoin' }))
    await add('sends', { blockchain: 'Bitcoin', txid: 'a', amount: '1', seen_at: 1 })
    const { context: asking, calls } = noted()
    const noticeRestore = () => Promise.reject(new Error('asked'))
    await requireAssigned({ ...asking, noticeRestore }, 'Bitcoin')
    expect(calls).toHaveLength(1)
  })

  it('is not compared before the deposits since the restore are found again', async () => {
    await add('stops', stop('restored'))
    const { context: asking, calls } = noted()
    let noticed = 0
    const noticeRestore = async () => void noticed++
    await expect(requireAssigned({ ...asking, noticeRestore }, 'Bitcoin')).rejects.toMatchObject({
      ...{ code: 'payouts_stopped', status: 503 },
    })
    expect([noticed, calls.filter((call) => call.includes('listsinceblock'))]).toEqual([1, []])
  })
})
