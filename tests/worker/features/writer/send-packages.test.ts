import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { sendPackages } from '../../../../worker/features/writer/send/send-packages.ts'
import { notedStep } from '../../noted-step.ts'
import { add, clear, type Row, read } from '../../rows.ts'
import { ITEM, node, sign, states, TIP } from './sending.ts'

const { DB, BUCKET } = env

beforeEach(async () => {
  await clear('transactions', 'tx_chains')
  await add('tx_chains', { id: 1 })
  const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
  return () => log.mockRestore()
})

describe('a package', () => {
  const SENT = { state: 'sent', attempts: 1, sent_height: 90 }
  const BUMP = { seq: 1 }

  /** Sends what the mempool has no room for, `a`, and what stands on it. */
  async function sendBoth(said = 'success') {
    const { context, sent } = node({ submitpackage: { result: { package_msg: said } } })
    const unmined = await selectUnmined(DB, 'Bitcoin')
    const cheap = unmined.filter(({ txid }) => txid === 'a')
    const { context: noted, twice } = notedStep(context)
    const taken = await sendPackages(noted, TIP, cheap, unmined)
    expect(twice).toEqual([])
    return { taken, sent }
  }

  it('is a transaction with the one behind it that pays for both, which are sent then', async () => {
    await sign('a', { ...ITEM, ...SENT })
    await sign('b', BUMP)
    await add('tx_chains', { id: 2, coin_txid: 'second' })
    await sign('elsewhere', { tx_chain: 2, seq: 1 })
    expect(await sendBoth()).toEqual({ taken: 2, sent: [['a', 'b']] })
    expect(await states()).toEqual({ a: 'sent', b: 'sent', elsewhere: 'signed' })
    expect(await read('transactions', 'txid', `attempts || ' ' || checked_height`)).toMatchObject({
      ...{ a: '2 100', b: '1 100' },
    })
  })

  it('that is refused gives up what would pay, where no node had it before', async () => {
    await sign('a', { ...ITEM, ...SENT })
    await sign('b', BUMP)
    expect((await sendBoth('transaction failed')).taken).toBe(0)
    expect(await states()).toEqual({ a: 'sent', b: 'dead' })
    await sign('c', { ...SENT, ...BUMP })
    expect((await sendBoth('transaction failed')).taken).toBe(0)
    expect(await states()).toEqual({ a: 'sent', b: 'dead', c: 'sent' })
  })

  it.each<[string, Row[]]>([
    ['is none of what carries an item itself', [{ ...ITEM, seq: 1 }]],
    ['is no longer chain', [BUMP, { ...ITEM, seq: 2 }]],
    ['is none where nothing stands on it', []],
  ])('%s', async (_, behind) => {
    await sign('a', { ...ITEM, ...SENT })
    for (const row of behind) await sign(`${row.seq}`, row)
    expect(await sendBoth()).toEqual({ taken: 0, sent: [] })
  })

  it('is none where another step has given one of the two up', async () => {
    await sign('a', { ...ITEM, ...SENT })
    await sign('b', BUMP)
    const { context, sent } = node()
    const unmined = await selectUnmined(DB, 'Bitcoin')
    await DB.prepare("UPDATE transactions SET state = 'dead' WHERE txid = 'b'").run()
    const cheap = unmined.filter(({ txid }) => txid === 'a')
    expect([await sendPackages(context, TIP, cheap, unmined), sent]).toEqual([0, []])
  })

  it.each(['a', 'b'])('is none where the signed bytes of one are gone: %s', async (gone) => {
    await sign('a', { ...ITEM, ...SENT })
    await sign('b', BUMP)
    await BUCKET.delete(`writer/${gone}`)
    expect(await sendBoth()).toEqual({ taken: 0, sent: [] })
  })
})
