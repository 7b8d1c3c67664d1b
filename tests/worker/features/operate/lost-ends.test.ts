import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { selectNotedAgent } from '../../../../worker/chain/follower/stops.ts'
import { SEARCH_EVERY } from '../../../../worker/features/payments/list-entries.ts'
import { selectLedgerTail } from '../../../../worker/features/payments/sql/ledger.ts'
import { type EndedAs, getEndRecord, putEndRecord } from '../../../../worker/features/payouts/record/end-records.ts'
import {
  noticeRestore,
  requestRestore,
  requireSettled,
} from '../../../../worker/features/payouts/restore/notice-restore.ts'
import { insertWithdrawalStatement, selectUnsigned } from '../../../../worker/features/payouts/sql/withdrawals.ts'
import { memoryNumbers } from '../../../kit/in-process/memory-numbers.ts'
import { fetchApi } from '../../fetch-api.ts'
import { add, read } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { newCustomer } from '../payments/customer.ts'
import { readAnswer } from '../payments/pay-for-items.ts'
import { refuseRecords } from '../payouts/refuse-records.ts'
import { keepMoney } from './keep-money.ts'

const chain = useDevnet({ sends: 'unknown' })
let operator: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  chain.setAhead(0)
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  operator = await signIn('admin')
  // What earlier tests have left.
  await env.DB.prepare('UPDATE wallet_scans SET search_due = 0, searched_at = 0').run()
  await chain.work('Bitcoin')
  await env.DB.batch([
    env.DB.prepare(`DELETE FROM stops WHERE blockchain = 'Bitcoin'`),
    env.DB.prepare(`UPDATE sends SET assigned = 'foreign' WHERE assigned IS NULL`),
  ])
})

const received = (address: unknown) => Number(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 0]))

/** Lets payouts go on, when all that left the wallet is assigned so. */
async function letGo(as = 'foreign'): Promise<void> {
  const { token } = operator
  const body = { payouts: false, writing: false, reason: 'all is assigned' }
  // A wallet that has lost something is searched whole, but not twice in a short time.
  chain.setAhead(SEARCH_EVERY)
  await chain.work('Bitcoin')
  const { sends } = await readAnswer(await fetchApi('GET', '/v0/operate/send', { token }))
  for (const { txid } of sends as { txid: string }[]) {
    await fetchApi('POST', `/v0/operate/send/${txid}`, { token, body: { as, reason: 'a test' } })
  }
  expect((await fetchApi('PUT', '/v0/operate/stop/Bitcoin', { token, body })).status).toBe(200)
}

/** An account with half a coin, what it asks to be sent, and how that is decided. */
async function account() {
  const { api, balance, withdraw, withdrawals } = await newCustomer(chain)
  const decide = async (id: string, act: string) =>
    await readAnswer(
      await fetchApi('POST', `/v0/operate/withdrawal/${id}`, {
        ...{ token: operator.token, body: { act, reason: 'a test' } },
      }),
    )
  const states = async () => (await withdrawals()).map(({ state }) => state)
  return { api, withdraw: () => withdraw('0.1'), decide, states, balance }
}

describe('a withdrawal whose end a restored database has lost', () => {
  it.each(['cancelled', 'refunded', 'paid_elsewhere'])('is %s again, and not paid', async (end) => {
    const { api, withdraw, decide, states, balance } = await account()
    const { id, to } = await withdraw()
    const restore = await keepMoney()
    const ended =
      end === 'cancelled'
        ? await readAnswer(await api.send('DELETE', `/withdrawal/${id}`))
        : await decide(id, end === 'refunded' ? 'refund' : end)
    expect(ended).toMatchObject({ status: 200, state: end })
    const before = await balance()
    await requestRestore(env, 'Bitcoin')

    await restore()
    expect(await states()).toEqual(['waiting'])
    // Before anything else looks: what is decided now finds the end of then.
    expect(await decide(id, 'refund')).toMatchObject({ status: 409, code: 'withdrawal_ended' })
    expect([await states(), await balance()]).toEqual([[end], before])
    await chain.work('Bitcoin')
    await letGo()
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect([received(to), await states(), await balance()]).toEqual([0, [end], before])
  })

  it('is paid elsewhere where two ends are kept of it: one of them was refused then', async () => {
    const { withdraw, decide, states, balance } = await account()
    const { id } = await withdraw()
    const restore = await keepMoney()
    const before = await balance()
    expect(await decide(id, 'paid_elsewhere')).toMatchObject({ status: 200 })
    const kept = await getEndRecord(env.BUCKET, 'Bitcoin', { id, ended: 'paid_elsewhere' })
    if (!kept) throw new Error('nothing is kept of the end')
    await putEndRecord(env.BUCKET, 'Bitcoin', { ...kept, ended: 'cancelled' })
    await requestRestore(env, 'Bitcoin')
    await restore()
    await chain.work('Bitcoin')
    await letGo()
    expect([await states(), await balance()]).toEqual([['paid_elsewhere'], before])
  })

  it('is written down again and debited where it was paid elsewhere and is not there at all', async () => {
    const { withdraw, decide, states, balance } = await account()
    const restore = await keepMoney()
    const { id, to } = await withdraw()
    expect(await decide(id, 'paid_elsewhere')).toMatchObject({ status: 200 })
    const before = await balance()
    await requestRestore(env, 'Bitcoin')
    await restore()
    expect([await states(), await balance()]).toEqual([[], 0.5])
    await chain.work('Bitcoin')
    expect([await states(), await balance()]).toEqual([['paid_elsewhere'], before])
    await letGo()
    await chain.work('Bitcoin')
    expect(received(to)).toBe(0)
  })

  it('has its coin spent back again where something was signed for it', async () => {
    const { withdraw, decide, states, balance } = await account()
    const { id, to } = await withdraw()
    const takeRecords = refuseRecords()
    // Signed, and not sent.
    await chain.work('Bitcoin')
    takeRecords()
    const restore = await keepMoney()
    expect(await decide(id, 'refund')).toMatchObject({ status: 200 })
    await requestRestore(env, 'Bitcoin')
    await restore()
    await chain.work('Bitcoin')
    await letGo()
    await chain.mineAndWork('Bitcoin', 9)
    expect([received(to), await states(), await balance()]).toEqual([0, ['refunded'], 0.5])
  })

  it('stays as it is where it did not end: the record is of an act that was refused, and it was paid', async () => {
    const { withdraw, states } = await account()
    const { id, to } = await withdraw()
    const restore = await keepMoney()
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect([received(to), await states()]).toEqual([0.1, ['confirmed']])
    const { address, script, amount, fee, fee_rate, user_id } =
      (await env.DB.prepare('SELECT * FROM withdrawals WHERE id = ?').bind(id).first<Record<string, string>>()) ?? {}
    const record = { id, ended: 'refunded', account: user_id, amount, fee, feeRate: fee_rate, address, script }
    await env.BUCKET.put(`payouts/Bitcoin/end-${id}.refunded`, JSON.stringify(record))
    await restore()
    await chain.work('Bitcoin')
    expect(await states()).toEqual(['waiting'])
    await env.BUCKET.delete(`payouts/Bitcoin/end-${id}.refunded`)
    await letGo('withdrawal')
    await chain.confirm('Bitcoin', 2)
    expect(received(to)).toBe(0.1)
  })
})

describe('a withdrawal that was paid after the moment to which the database was restored', () => {
  it('is not paid again though the wallet has forgotten that, and is written down when the wallet finds it', async () => {
    const { api, withdraw, states } = await account()
    const height = Number(chain.call('Bitcoin', 'getblockcount'))
    const { to } = await withdraw()
    const restore = await keepMoney()
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect([received(to), await states()]).toEqual([0.1, ['confirmed']])
    const { txid } = Object((await readAnswer(await api.send('GET', '/withdrawal'))).withdrawals)[0]
    chain.callWallet('Bitcoin', 'devforgetpayments', [height])
    await restore()
    await chain.work('Bitcoin')
    await letGo()
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(await states()).toEqual(['waiting'])
    chain.callWallet('Bitcoin', 'rescanblockchain', [0])
    await add('sends', { blockchain: 'Bitcoin', txid, amount: '10000000', seen_at: 1 })
    chain.setAhead(3_600_000)
    await chain.confirm('Bitcoin', 2)
    await chain.confirm('Bitcoin', 2)
    expect([received(to), await states()]).toEqual([0.1, ['confirmed']])
    expect(await read('sends', 'txid', 'assigned')).toMatchObject({ [txid]: 'withdrawal' })
  })

  it('is neither given back nor cancelled though the wallet has forgotten that, and is paid once the wallet finds it', async () => {
    const { api, withdraw, decide, states, balance } = await account()
    const height = Number(chain.call('Bitcoin', 'getblockcount'))
    const { id, to } = await withdraw()
    const restore = await keepMoney()
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    const before = await balance()
    chain.callWallet('Bitcoin', 'devforgetpayments', [height])
    await restore()
    await chain.work('Bitcoin')
    await letGo()
    expect(await readAnswer(await api.send('DELETE', `/withdrawal/${id}`))).toMatchObject({ code: 'withdrawal_signed' })
    expect(await decide(id, 'refund')).toMatchObject({ status: 200 })
    await chain.mineAndWork('Bitcoin', 9)
    expect([await states(), await balance()]).toEqual([['waiting'], before])
    chain.callWallet('Bitcoin', 'rescanblockchain', [0])
    chain.setAhead(3_600_000)
    await chain.mineAndWork('Bitcoin', 3)
    expect([received(to), await states(), await balance()]).toEqual([0.1, ['confirmed'], before])
  })
})

describe('the end of a withdrawal', () => {
  it('is 503, and comes about later, where the bucket takes no record of it', async () => {
    const { api, withdraw, states } = await account()
    const { id } = await withdraw()
    const takeRecords = refuseRecords()
    const refused = await readAnswer(await api.send('DELETE', `/withdrawal/${id}`))
    expect([refused.status, refused.code, await states()]).toEqual([503, 'payouts_stopped', ['waiting']])
    takeRecords()
    expect(await readAnswer(await api.send('DELETE', `/withdrawal/${id}`))).toMatchObject({ status: 200 })
  })

  it('stays on record while it is under way, though it is asked for once more', async () => {
    const { withdraw, decide } = await account()
    const { id } = await withdraw()
    await chain.work('Bitcoin')
    expect(await decide(id, 'refund')).toMatchObject({ status: 200 })
    expect(await decide(id, 'refund')).toMatchObject({ status: 409, code: 'request_changing' })
    expect(await getEndRecord(env.BUCKET, 'Bitcoin', { id, ended: 'refunded' })).toMatchObject({ id })
  })
})

describe('ends that a restored database has lost', () => {
  const SETTLED = { isSettled: true }
  const agent = memoryNumbers()
  const numbersAt = (own: number) => ({ ...agent, read: async () => own, write: async () => {} })
  const context = { db: env.DB, bucket: env.BUCKET, now: 1 }

  /** Withdrawals that wait in the database, and whose ends the bucket has. */
  async function lose(
    count: number,
    { userId = 'service', ended = 'paid_elsewhere' }: { userId?: string; ended?: EndedAs } = {},
  ): Promise<string[]> {
    const ids = Array.from({ length: count }, () => crypto.randomUUID())
    for (const id of ids) {
      const [address, script] = ['x', '51']
      const [amount, fee, feeRate] = [1n, 1n, 1n]
      const asked = {
        id,
        userId,
        address,
        script,
        amount,
        fee,
        feeRate,
        blockchain: 'Dogecoin',
        createdAt: 1,
      } as const
      await insertWithdrawalStatement(env.DB, asked).run()
      const record = { id, account: userId, address, script, amount, fee, feeRate, coin: undefined }
      await putEndRecord(env.BUCKET, 'Dogecoin', { ...record, ended })
    }
    return ids
  }
  const waiting = async () => (await selectUnsigned(env.DB, 'Dogecoin', 1_000)).length

  it('are restored fifty at a time, and payouts are stopped when there are no more', async () => {
    await lose(60)
    await expect(noticeRestore(context, 'Dogecoin', numbersAt(5), SETTLED)).rejects.toThrow('being restored')
    expect([await waiting(), await selectNotedAgent(env.DB, 'Dogecoin')]).toEqual([10, undefined])
    expect(await noticeRestore(context, 'Dogecoin', numbersAt(5), SETTLED)).toBeUndefined()
    expect([await waiting(), await selectNotedAgent(env.DB, 'Dogecoin')]).toMatchObject([0, { number: 5 }])
  })

  it('are restored again where the database that was restored was stopped for a restore before', async () => {
    await lose(1)
    expect([await noticeRestore(context, 'Dogecoin', numbersAt(5), SETTLED), await waiting()]).toEqual([undefined, 1])
    expect([await noticeRestore(context, 'Dogecoin', numbersAt(6), SETTLED), await waiting()]).toEqual([undefined, 0])
    expect(await selectNotedAgent(env.DB, 'Dogecoin')).toMatchObject({ number: 6 })
  })

  it('lost by a second restore have assigning wait until the deposits since are looked up, too', async () => {
    await lose(1)
    await noticeRestore(context, 'Dogecoin', numbersAt(6), SETTLED)
    await expect(requireSettled(env.DB, 'Dogecoin')).resolves.toBeUndefined()
    await noticeRestore(context, 'Dogecoin', numbersAt(7))
    await expect(requireSettled(env.DB, 'Dogecoin')).rejects.toMatchObject({ status: 503, code: 'payouts_stopped' })
    await noticeRestore(context, 'Dogecoin', numbersAt(7), SETTLED)
    await expect(requireSettled(env.DB, 'Dogecoin')).resolves.toBeUndefined()
  })

  it('are restored though the balance changes in between, and the call fails where it does each time', async () => {
    const batch = env.DB.batch.bind(env.DB)
    let credited = 0
    const credit = async (statements: D1PreparedStatement[]) => {
      credited++
      await env.DB.prepare(`INSERT INTO ledger VALUES ('ada', 'Dogecoin', ?1, '1', ?2, 'manual:' || ?2, 0)`)
        .bind(2 + credited, String(credited))
        .run()
      return await batch(statements)
    }
    const [id] = await lose(1, { userId: 'ada', ended: 'cancelled' })
    const account = { user_id: 'ada', blockchain: 'Dogecoin' }
    await add('ledger', { ...account, seq: 1, amount: '2', balance: '2', cause: 'output:o:0' })
    await add('ledger', { ...account, seq: 2, amount: '-2', balance: '0', cause: `withdrawal:${id}` })
    const racing = vi.spyOn(env.DB, 'batch').mockImplementation(credit)
    await expect(noticeRestore(context, 'Dogecoin', numbersAt(8), SETTLED)).rejects.toThrow('being restored')
    expect([await waiting(), await selectNotedAgent(env.DB, 'Dogecoin')]).toMatchObject([1, { number: 7 }])
    racing.mockReset().mockImplementation(batch).mockImplementationOnce(credit)
    expect([await noticeRestore(context, 'Dogecoin', numbersAt(8), SETTLED), await waiting()]).toEqual([undefined, 0])
    racing.mockRestore()
    expect((await selectLedgerTail(env.DB, 'ada', 'Dogecoin')).balance).toBe(BigInt(credited + 2))
  })
})
