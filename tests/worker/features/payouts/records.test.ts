import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  deleteEndRecord,
  getEndRecord,
  listEndRecords,
  putEndRecord,
} from '../../../../worker/features/payouts/record/end-records.ts'
import {
  deletePayoutMark,
  getLastPayout,
  getPayoutRecord,
  hasPayoutRecord,
  putPayoutRecord,
  sweepPayoutRecords,
} from '../../../../worker/features/payouts/record/payout-records.ts'
import { getSigned } from '../../../../worker/features/transactions/sql/signed-bytes.ts'
import { clear } from '../../rows.ts'

const { DB, BUCKET } = env
const asked = { account: 'ada', amount: 7n, fee: 1n, feeRate: 2n, address: 'x', script: '52' }
const coin = { txid: 'c', vout: 1, value: 9n, script: '51' }
const txChain = { script: '53', vsize: 1, fee: 1n, changeVout: 0, changeValue: 1n }

let log: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => log.mockRestore()
})

describe('the record of a payout', () => {
  const paid = (id: string) => ({ ...asked, id, coin, txChain })

  it('is read as it was stored', async () => {
    await putPayoutRecord(BUCKET, 'Bitcoin', 'txid', paid('a'))
    expect(await getPayoutRecord(BUCKET, 'Bitcoin', 'txid')).toEqual(paid('a'))
    expect(await getPayoutRecord(BUCKET, 'Dogecoin', 'txid')).toBeUndefined()
  })

  it.each([
    'not JSON',
    '[]',
    JSON.stringify({ id: 'a' }),
    JSON.stringify({
      ...asked,
      amount: 7,
      id: 'a',
      fee: '1',
      feeRate: '1',
      coin: { ...coin, value: '1' },
      txChain: {},
    }),
  ])('counts as none where it is damaged: %s', async (text) => {
    await BUCKET.put('payouts/Bitcoin/damaged', text)
    expect(await getPayoutRecord(BUCKET, 'Bitcoin', 'damaged')).toBeUndefined()
    expect(log).toHaveBeenCalledWith('record_damaged', 'payouts/Bitcoin/damaged', expect.any(Error))
  })

  it('is the last of its withdrawal until an operator says that it was never mined', async () => {
    for (const txid of ['first', 'second']) await putPayoutRecord(BUCKET, 'Bitcoin', txid, paid('w'))
    expect(await getLastPayout(BUCKET, 'Bitcoin', 'w')).toMatchObject({ txid: 'second', paid: { id: 'w' } })
    expect([await hasPayoutRecord(BUCKET, 'Bitcoin', 'w'), await hasPayoutRecord(BUCKET, 'Bitcoin', 'x')]).toEqual([
      true,
      false,
    ])
    await BUCKET.delete('payouts/Bitcoin/second')
    expect(await getLastPayout(BUCKET, 'Bitcoin', 'w')).toBeUndefined()
    await deletePayoutMark(BUCKET, 'Bitcoin', 'w')
    expect([await hasPayoutRecord(BUCKET, 'Bitcoin', 'w'), await getLastPayout(BUCKET, 'Bitcoin', 'w')]).toEqual([
      false,
      undefined,
    ])
    expect(await getPayoutRecord(BUCKET, 'Bitcoin', 'first')).toMatchObject({ id: 'w' })
  })
})

describe('the record of an end', () => {
  it('is read by what its withdrawal ended as, with the coin that it was tied to, if any', async () => {
    for (const record of [
      { ...asked, id: 'e', ended: 'refunded' as const, coin },
      { ...asked, id: 'e', ended: 'cancelled' as const, coin: undefined },
      { ...asked, id: 'p', ended: 'paid_elsewhere' as const, coin },
    ]) {
      await putEndRecord(BUCKET, 'Bitcoin', record)
      expect(await getEndRecord(BUCKET, 'Bitcoin', record)).toEqual(record)
    }
    await deleteEndRecord(BUCKET, 'Bitcoin', { id: 'e', ended: 'refunded' })
    await BUCKET.put('payouts/Bitcoin/end-e.lost', '{}')
    await BUCKET.put('payouts/Bitcoin/end-e', '{}')
    const found: unknown[] = []
    for await (const page of listEndRecords(BUCKET, 'Bitcoin')) found.push(...page)
    expect(found).toEqual([
      { id: 'e', ended: 'cancelled' },
      { id: 'p', ended: 'paid_elsewhere' },
    ])
  })

  it('counts as none where it names no end', async () => {
    await BUCKET.put(
      'payouts/Bitcoin/end-f.refunded',
      JSON.stringify({ ...asked, amount: '7', fee: '1', feeRate: '1', id: 'f' }),
    )
    expect(await getEndRecord(BUCKET, 'Bitcoin', { id: 'f', ended: 'refunded' })).toBeUndefined()
    expect(log).toHaveBeenCalledWith('record_damaged', expect.anything(), new Error('a record of an end names none'))
  })
})

it('records are deleted after forty days, some at a time and all in turn', async () => {
  await clear('sweep_positions')
  const day = 86_400_000
  const uploaded = { a: 1, b: 41, c: 39, d: 50 }
  const keys = Object.keys(uploaded)
  const asked: unknown[] = []
  const bucket = new Proxy(BUCKET, {
    get: (_, name) => async (given: { startAfter?: string } & string[]) => {
      if (name === 'delete') return void asked.push(given)
      asked.push(given.startAfter)
      const rest = keys.filter((key) => key > (given.startAfter ?? ''))
      const page = rest.slice(0, 3)
      const objects = page.map((key) => ({ key, uploaded: new Date(100 * day - day * Object(uploaded)[key]) }))
      return { objects, truncated: rest.length > page.length }
    },
  })
  for (let run = 0; run < 3; run++) await sweepPayoutRecords(DB, bucket, 100 * day)
  expect(asked).toEqual([undefined, ['b'], 'c', ['d'], undefined, ['b']])
})

it('signed bytes are read once for each object, and are none where they are cut off or gone', async () => {
  await BUCKET.put('writer/three', Uint8Array.of(1, 2, 3))
  const get = vi.spyOn(BUCKET, 'get')
  const place = (bundle: string, offset: number, length: number) => ({ bundle, offset, length })
  const places = [
    place('writer/three', 0, 1),
    place('writer/three', 1, 2),
    place('writer/three', 2, 2),
    place('', 0, 0),
    place('none', 0, 1),
  ]
  expect(await getSigned(BUCKET, places)).toEqual(['01', '0203', undefined, undefined, undefined])
  expect(get.mock.calls.map(([key]) => key)).toEqual(['writer/three', 'none'])
  get.mockRestore()
})
