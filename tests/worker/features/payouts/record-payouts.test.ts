import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StepContext } from '../../../../worker/chain/follower/agent-context.ts'
import { putPayoutRecord } from '../../../../worker/features/payouts/record/payout-records.ts'
import { recordPayouts, tieToEarlier } from '../../../../worker/features/payouts/restore/record-payouts.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, list } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi } from '../items/api.ts'
import { newCustomer } from '../payments/customer.ts'
import { readAnswer } from '../payments/pay-for-items.ts'
import { refuseRecords } from './refuse-records.ts'

const chain = useDevnet()
beforeEach(async () => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})

const received = (address: unknown) => Number(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 0]))

/** An account with half a coin, and what it asks to be sent. */
async function account() {
  const { withdraw, withdrawals } = await newCustomer(chain)
  const messages = async () => new Map((await withdrawals()).map(({ id, message }) => [id, message]))
  return { withdraw: () => withdraw('0.01'), messages }
}

/** Runs `work` while the bucket takes no record of a payout: what is signed is not sent. */
async function withoutRecords(work: () => Promise<void>): Promise<void> {
  const takeRecords = refuseRecords()
  await work()
  takeRecords()
}

/** What an agent with these numbers works with. */
function contextWith(numbers: { number: number }): StepContext {
  const context = contextOf()
  const own = {
    ...chain.numbersOf('Bitcoin'),
    read: async () => numbers.number,
    write: async (number: number) => void Object.assign(numbers, { number }),
  }
  return { ...context, now: Date.now(), numbers: own }
}

describe('a payout that is about to be sent', () => {
  it('has its number in the database and with the agent before, and no step has to follow for that', async () => {
    const { withdraw } = await account()
    await withdraw()
    await withoutRecords(() => chain.work('Bitcoin'))
    const unmined = await selectUnmined(env.DB, 'Bitcoin')
    const numbers = { number: 0 }
    expect(await recordPayouts(contextWith(numbers), unmined)).toEqual(new Set())
    expect([numbers.number, await list('payout_numbers', 'number')]).toEqual([1, [1]])
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
  })

  it('has no number with the agent before the database has it: a crash between the two is no restore', async () => {
    const { withdraw } = await account()
    await withdraw()
    await withoutRecords(() => chain.work('Bitcoin'))
    const unmined = await selectUnmined(env.DB, 'Bitcoin')
    const numbers = { number: 0 }
    const failing = vi.spyOn(env.DB, 'batch').mockRejectedValueOnce(new Error('D1 does not answer'))
    await expect(recordPayouts(contextWith(numbers), unmined)).rejects.toThrow('does not answer')
    failing.mockRestore()
    expect(numbers.number).toBe((await list('payout_numbers', 'number'))[0] ?? 0)
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(await list('stops', 'cause')).toEqual([])
  })

  it('is not sent where the database was restored since the step began', async () => {
    const { withdraw } = await account()
    const { to } = await withdraw()
    await withoutRecords(() => chain.work('Bitcoin'))
    const unmined = await selectUnmined(env.DB, 'Bitcoin')
    const [payout] = unmined.filter(({ withdrawalId }) => withdrawalId !== undefined)
    expect(await recordPayouts(contextWith({ number: 99 }), unmined)).toEqual(new Set([payout?.txChain]))
    expect(await list('stops', 'cause')).toContain('restored')
    await chain.work('Bitcoin')
    expect(received(to)).toBe(0)
    await env.DB.prepare("DELETE FROM stops WHERE cause = 'restored'").run()
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(received(to)).toBe(0.01)
  })

  it('is never sent where its withdrawal is over', async () => {
    const { withdraw } = await account()
    const { id, to } = await withdraw()
    await withoutRecords(() => chain.work('Bitcoin'))
    const [signed] = await selectUnmined(env.DB, 'Bitcoin')
    if (!signed) throw new Error('nothing was signed')
    await env.DB.prepare("UPDATE withdrawals SET state = 'refunded' WHERE id = ?").bind(id).run()
    expect(await recordPayouts(contextWith({ number: 0 }), [signed])).toEqual(new Set([signed.txChain]))
    expect(await env.BUCKET.head(`payouts/Bitcoin/${signed.txid}`)).toBeNull()
    await env.DB.prepare('DELETE FROM stops').run()
    await chain.work('Bitcoin')
    expect(received(to)).toBe(0)
    await env.DB.prepare("UPDATE withdrawals SET state = 'waiting' WHERE id = ?").bind(id).run()
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(received(to)).toBe(0.01)
  })

  it('waits, and says so to its owner and to operators, where no coin is tied to it; others go on', async () => {
    const { withdraw, messages } = await account()
    const [untied, other] = [await withdraw(), await withdraw()]
    await withoutRecords(() => chain.work('Bitcoin'))
    await env.DB.prepare('UPDATE withdrawals SET coin_txid = NULL WHERE id = ?').bind(untied.id).run()
    await chain.confirm('Bitcoin')
    await chain.work('Bitcoin')
    expect([received(untied.to), received(other.to)]).toEqual([0, 0.01])
    expect((await messages()).get(untied.id)).toContain('No coin is tied to it')
    const operator = callApi((await signIn('admin')).headers)
    const { records } = await readAnswer(await operator.send('GET', '/operate/failed-records'))
    expect(records).toContainEqual(expect.objectContaining({ id: `Bitcoin-refused-${untied.id}` }))
  })

  it('is given up, once, where an earlier one spends another coin, which its withdrawal is tied to then', async () => {
    const [coin, earlier] = ['c', 'e'].map((digit) => ({ txid: digit.repeat(64), vout: 0, value: 9n, script: '51' }))
    if (!coin || !earlier) throw new Error('no coins')
    const paid = { id: 'again', account: 'ada', amount: 7n, fee: 1n, feeRate: 1n, address: '', script: '' }
    const txChain = { script: '', vsize: 1, fee: 1n, changeVout: 0, changeValue: 1n }
    const record = { ...paid, coin: earlier, txChain }
    await putPayoutRecord(env.BUCKET, 'Bitcoin', 'earlier-payout', record)
    await add('withdrawals', { id: 'again', coin_txid: coin.txid, coin_vout: 0, coin_value: '9', coin_script: '51' })
    const giveUp = vi.fn(async () => [])
    const context = contextOf()
    expect(await tieToEarlier(context, { id: 'again', coin: earlier }, giveUp)).toBe(false)
    expect(await tieToEarlier(context, { id: 'again', coin }, giveUp)).toBe(true)
    expect(giveUp).toHaveBeenCalledOnce()
    expect(await list("withdrawals WHERE id = 'again'", 'coin_txid')).toEqual([earlier.txid])
  })
})
