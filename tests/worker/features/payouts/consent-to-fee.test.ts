import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { formatAmount } from '../../../../protocol/amount.ts'
import { failRecord } from '../../fail-record.ts'
import { add, runSql } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { readAnswer } from '../payments/pay-for-items.ts'
import { withWithdrawal } from './with-withdrawal.ts'

const chain = useDevnet()
const warn = vi.spyOn(console, 'warn')
const error = vi.spyOn(console, 'error')
beforeEach(() => {
  chain.setAhead(0)
  warn.mockImplementation(() => {})
  error.mockImplementation(() => {})
})

const received = (address: unknown) => Number(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 0]))

describe('POST /v0/withdrawal/<id>/fee', () => {
  it('takes what the fee has risen by, so that what waited is sent', async () => {
    const { api, id, show, balance, address, fee } = await withWithdrawal(chain)
    const consent = async (maxFee: unknown) =>
      await readAnswer(await api.sendJson('POST', `/withdrawal/${id}/fee`, { maxFee }))
    const before = Number(await balance())
    expect(await consent('1')).toMatchObject({ status: 200, fee })
    expect(await balance()).toBe(before)
    await runSql("UPDATE withdrawals SET fee_rate = '1', fee = '1' WHERE id = ?", id)
    await chain.work('Bitcoin')
    expect(await show()).toMatchObject({ state: 'waiting', since: expect.any(Number) })
    expect(await consent('0.00000002')).toMatchObject({ status: 409, code: 'fee_too_high', fee })
    expect(await consent('x')).toMatchObject({ status: 400 })
    for (const kind of ['withdrawal', 'refused']) await failRecord(kind, id)
    expect(await consent('1')).toMatchObject({ status: 200, fee })
    expect(await balance()).toBeCloseTo(before - fee + 0.00000001, 8)
    await chain.work('Bitcoin')
    expect([(await show())?.state, received(address)]).toEqual(['sent', 0.2])
    await chain.confirm('Bitcoin', 2)
    expect(await consent('1')).toMatchObject({ status: 409, code: 'withdrawal_ended' })
  })

  it('takes nothing once what pays it is in a block', async () => {
    const { api, id, show, balance } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin')
    expect(await show()).toMatchObject({ state: 'sent', depth: 1 })
    await runSql("UPDATE withdrawals SET fee_rate = '1', fee = '1' WHERE id = ?", id)
    const before = await balance()
    const consent = await readAnswer(await api.sendJson('POST', `/withdrawal/${id}/fee`, { maxFee: '1' }))
    expect([consent.status, await balance()]).toEqual([200, before])
  })

  it('is refused where the balance is below the increase, which takes nothing', async () => {
    const { userId, api, id, fee } = await withWithdrawal(chain)
    await runSql("UPDATE withdrawals SET fee_rate = '1', fee = '0' WHERE id = ?", id)
    const spent = { user_id: userId, seq: 1_000, amount: '-1', balance: '2', cause: `manual:${id}` }
    await add('ledger', spent)
    const consent = await readAnswer(await api.sendJson('POST', `/withdrawal/${id}/fee`, { maxFee: '1' }))
    expect(consent).toMatchObject({ status: 409, code: 'balance_too_low', balance: 0.00000002, fee })
  })

  it('is refused while an operator ends it', async () => {
    const { api, id } = await withWithdrawal(chain)
    const consent = async () => await readAnswer(await api.sendJson('POST', `/withdrawal/${id}/fee`, { maxFee: '1' }))
    const change = async (sql: string) => await runSql(`UPDATE withdrawals SET ${sql} WHERE id = ?`, id)
    await change("ending = 'refunded'")
    expect(await consent()).toMatchObject({ status: 409, code: 'withdrawal_ended' })
    await change("ending = NULL, fee = '0'")
    expect(await consent()).toMatchObject({ status: 200 })
  })

  it('takes it again where the fee rises a second time by as much', async () => {
    const { api, id, show } = await withWithdrawal(chain)
    const consent = async () => await readAnswer(await api.sendJson('POST', `/withdrawal/${id}/fee`, { maxFee: '1' }))
    await runSql("UPDATE withdrawals SET fee_rate = '1', fee = '0' WHERE id = ?", id)
    const once = Number((await consent()).fee)
    const rate = await env.DB.prepare('SELECT fee_rate FROM withdrawals WHERE id = ?').bind(id).first('fee_rate')
    chain.call('Bitcoin', 'devsetfeerate', [formatAmount(2n * BigInt(String(rate)))])
    expect((await consent()).status).toBe(200)
    chain.call('Bitcoin', 'devsetfeerate')
    expect((await show())?.fee).toBeCloseTo(2 * once, 8)
  })
})

describe('a withdrawal that was sent, while blocks take nothing at the most that it may pay', () => {
  const MESSAGE = /^It was sent, but the network's fees are far above its fee now\./
  const setFees = (estimate: string, mined: string) => {
    chain.call('Bitcoin', 'devsetfeerate', [estimate])
    chain.call('Bitcoin', 'devsetoption', ['blockmintxfee', mined])
  }

  it('says so, since the first time, until fees fall and it is in a block', async () => {
    const { show } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    setFees('0.01', '0.008')
    await chain.mineAndWork('Bitcoin', 5)
    expect(await show()).not.toHaveProperty('message')
    await chain.mineAndWork('Bitcoin', 2)
    const told = await show()
    expect(told).toMatchObject({ state: 'sent', depth: 0, message: expect.stringMatching(MESSAGE) })
    chain.setAhead(3_600_000)
    await chain.mineAndWork('Bitcoin', 8)
    expect(await show()).toEqual(told)
    setFees('0.00002', '0.00001')
    await chain.mineAndWork('Bitcoin')
    expect(await show()).toMatchObject({ state: 'sent', depth: 1 })
    expect(await show()).not.toHaveProperty('message')
  })

  it('says nothing more once its owner consents to a fee that is enough', async () => {
    const { api, id, show, address } = await withWithdrawal(chain)
    await chain.work('Bitcoin')
    setFees('0.001', '0.0008')
    await chain.mineAndWork('Bitcoin', 8)
    expect(await show()).toMatchObject({ state: 'sent', message: expect.stringMatching(MESSAGE) })
    const consent = await readAnswer(await api.sendJson('POST', `/withdrawal/${id}/fee`, { maxFee: '1' }))
    expect(consent.status).toBe(200)
    await chain.mineAndWork('Bitcoin', 7)
    expect(await show()).not.toHaveProperty('message')
    expect(Number(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 1]))).toBe(0.2)
  })
})

describe('POST /v0/withdrawal/<id>/fee of a failed withdrawal', () => {
  it('takes what the fee has risen by, and leaves it to the operator to send it', async () => {
    const { api, id, show, balance, fee } = await withWithdrawal(chain)
    const before = Number(await balance())
    await runSql("UPDATE withdrawals SET state = 'failed', fee_rate = '1', fee = '1' WHERE id = ?", id)
    const answer = await readAnswer(await api.sendJson('POST', `/withdrawal/${id}/fee`, { maxFee: '1' }))
    expect(answer).toMatchObject({ status: 200, state: 'failed', fee })
    expect(await balance()).toBeCloseTo(before - fee + 0.00000001, 8)
    expect(await show()).toMatchObject({ state: 'failed', fee })
  })
})
