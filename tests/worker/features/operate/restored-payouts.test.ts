import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { SERVICE } from '../../../../devnet/premine.ts'
import { SEARCH_EVERY } from '../../../../worker/features/payments/list-entries.ts'
import { getPayoutRecord, sweepPayoutRecords } from '../../../../worker/features/payouts/record/payout-records.ts'
import { noticeRestore, requestRestore } from '../../../../worker/features/payouts/restore/notice-restore.ts'
import { sweepSigned } from '../../../../worker/features/writer/follow/sweep-signed.ts'
import { memoryNumbers } from '../../../kit/in-process/memory-numbers.ts'
import { fetchApi } from '../../fetch-api.ts'
import { firstRow, runSql } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { newCustomer } from '../payments/customer.ts'
import { readAnswer } from '../payments/pay-for-items.ts'
import { refuseRecords } from '../payouts/refuse-records.ts'
import { keepMoney } from './keep-money.ts'

const chain = useDevnet({ sends: 'unknown' })
let operator: Awaited<ReturnType<typeof signIn>>
const spies = (['warn', 'error'] as const).map((name) => vi.spyOn(console, name))
beforeEach(async () => {
  chain.setAhead(0)
  for (const spy of spies) spy.mockImplementation(() => {})
  operator = await signIn('admin')
  // What earlier tests have left.
  await runSql('UPDATE wallet_scans SET search_due = 0, searched_at = 0')
  await chain.work('Bitcoin')
  await runSql('DELETE FROM stops')
  await runSql("UPDATE sends SET assigned = 'foreign' WHERE assigned IS NULL")
})

type Row = Record<string, unknown>

const get = async (path: string) => await readAnswer(await fetchApi('GET', `/v0${path}`, { token: operator.token }))
const letGo = async () =>
  await readAnswer(
    await fetchApi('PUT', '/v0/operate/stop/Bitcoin', {
      ...{ token: operator.token, body: { payouts: false, writing: false, reason: 'all is assigned' } },
    }),
  )
const assign = async (txid: string, body: Record<string, unknown>) =>
  await readAnswer(
    await fetchApi('POST', `/v0/operate/send/${txid}`, { token: operator.token, body: { reason: 'a test', ...body } }),
  )
const sends = async () => (await get('/operate/send')).sends as { txid: string; amount: number; record: Row | null }[]
const received = (address: unknown) => Number(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 0]))

describe('a database that was restored to an earlier moment', () => {
  it('pays no withdrawal twice: payouts stop, and go on when what was sent is assigned', async () => {
    const { userId, api, withdraw, withdrawals, balance } = await newCustomer(chain)
    const waiting = await withdraw('0.1')
    const restore = await keepMoney()
    await chain.work('Bitcoin')
    const later = await withdraw('0.15')
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    const before = await balance()
    const paid = await withdrawals()
    expect([received(waiting.to), received(later.to)]).toEqual([0.1, 0.15])

    await restore()
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect([received(waiting.to), received(later.to)]).toEqual([0.1, 0.15])
    expect(await withdrawals()).toMatchObject([
      { id: waiting.id, state: 'waiting', message: expect.stringContaining('stopped') },
    ])
    expect((await get('/operate/health')).chains).toMatchObject({
      Bitcoin: {
        stops: [{ part: 'payouts', cause: 'restored' }, { cause: 'sends' }],
        reason: expect.stringContaining('restored'),
      },
    })
    expect(await readAnswer(await api.send('DELETE', `/withdrawal/${waiting.id}`))).toMatchObject({
      ...{ status: 503, code: 'payouts_stopped' },
    })
    expect(await letGo()).toMatchObject({ status: 409, code: 'sends_unassigned' })
    const unknown = await sends()
    expect(unknown).toHaveLength(2)
    for (const { txid, record } of unknown) {
      expect(record).toMatchObject({ account: userId })
      expect(await assign(txid, { as: 'withdrawal' })).toMatchObject({ status: 200, assigned: 'withdrawal', loss: 0 })
      expect(await assign(txid, { as: 'withdrawal' })).toMatchObject({ status: 409, code: 'send_assigned' })
    }
    // What a reorganisation takes back is paid anew with these coins, and no others.
    const tied = await runSql(
      'SELECT prev_txid = coin_txid AS same FROM withdrawals JOIN transactions ON withdrawal_id = id JOIN transaction_inputs USING (blockchain, txid) WHERE user_id = ?',
      userId,
    )
    expect(tied).toEqual([{ same: 1 }, { same: 1 }])
    expect(await letGo()).toMatchObject({ status: 200, stops: [] })
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(await balance()).toBe(before)
    expect((await withdrawals()).map(({ id, state, txid }) => [id, state, txid]).sort()).toEqual(
      paid.map(({ id, state, txid }) => [id, state, txid]).sort(),
    )
    expect([received(waiting.to), received(later.to)]).toEqual([0.1, 0.15])
    const next = await withdraw('0.01')
    await chain.work('Bitcoin')
    expect(received(next.to)).toBe(0.01)
    await chain.confirm('Bitcoin', 2)
  })

  it('books what a balance lacks as a loss, and lets what is foreign be', async () => {
    const { api, withdraw, withdrawals, balance } = await newCustomer(chain)
    const restore = await keepMoney()
    await withdraw('0.3')
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    await restore()
    await chain.work('Bitcoin')
    // What came back is taken out of the balance by hand, as if it had been spent.
    const { userId } = { userId: (await readAnswer(await api.send('GET', '/user'))).id }
    const credit = { account: userId, blockchain: 'Bitcoin', amount: '-0.4', reason: 'x' }
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const taken = await fetchApi('POST', '/v0/operate/credit', { token: operator.token, body: credit, headers })
    expect(taken.status).toBe(200)
    chain.callWallet('Bitcoin', 'sendtoaddress', [chain.call('Bitcoin', 'getnewaddress'), '0.07'])
    await chain.confirm('Bitcoin', 2)
    expect(await letGo()).toMatchObject({ code: 'sends_unassigned' })
    const unknown = await sends()
    const ours = unknown.find(({ record }) => record !== null)
    const others = unknown.find(({ amount }) => amount === 0.07)
    const { loss } = await assign(String(ours?.txid), { as: 'withdrawal' })
    expect(Number(loss)).toBeGreaterThan(0.2)
    expect(await balance()).toBe(0)
    expect(await assign(String(others?.txid), { as: 'foreign' })).toMatchObject({ status: 200, assigned: 'foreign' })
    expect(await assign('f'.repeat(64), { as: 'foreign' })).toMatchObject({ status: 404 })
    expect(await letGo()).toMatchObject({ status: 200, stops: [] })
    await chain.confirm('Bitcoin', 2)
    expect(await withdrawals()).toMatchObject([{ amount: 0.3, state: 'confirmed' }])
  })

  it('takes what was sent to the address of a waiting withdrawal for its payment only where the amount is the same', async () => {
    const { withdraw, withdrawals } = await newCustomer(chain)
    const { id, to } = await withdraw('0.1')
    const txid = String(chain.callWallet('Bitcoin', 'sendtoaddress', [to, '0.04']))
    await chain.work('Bitcoin')
    expect(await withdrawals()).toMatchObject([{ id, message: expect.stringContaining('stopped') }])
    expect(await letGo()).toMatchObject({ status: 409, code: 'sends_unassigned' })
    expect(await assign(txid, { as: 'withdrawal' })).toMatchObject({ status: 400, code: 'invalid_field' })
    expect(await withdrawals()).toMatchObject([{ id, state: 'waiting', amount: 0.1 }])
    expect(await assign(txid, { as: 'foreign' })).toMatchObject({ status: 200 })
    expect(await letGo()).toMatchObject({ status: 200, stops: [] })
    await chain.work('Bitcoin')
    expect(received(to)).toBe(0.14)
    await chain.confirm('Bitcoin', 2)
  })

  it('returns no more than the balance had when a payout that is assigned is refunded', async () => {
    const { userId, withdraw, withdrawal, balance } = await newCustomer(chain)
    const restore = await keepMoney()
    const { id } = await withdraw('0.3')
    await chain.work('Bitcoin')
    await restore()
    await chain.work('Bitcoin')
    const body = { account: userId, blockchain: 'Bitcoin', amount: '-0.4', reason: 'x' }
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    expect((await fetchApi('POST', '/v0/operate/credit', { token: operator.token, body, headers })).status).toBe(200)
    const left = await balance()
    expect(await letGo()).toMatchObject({ code: 'sends_unassigned' })
    for (const { txid } of await sends()) expect((await assign(txid, { as: 'withdrawal' })).loss).toBeGreaterThan(0.2)
    expect([await balance(), (await letGo()).status]).toEqual([0, 200])
    const refund = { act: 'refund', reason: 'it is not mined' }
    const ended = await fetchApi('POST', `/v0/operate/withdrawal/${id}`, { token: operator.token, body: refund })
    expect(ended.status).toBe(200)
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 6)
    expect(await withdrawal(id)).toMatchObject({ state: 'refunded', amount: 0.3 })
    expect(await balance()).toBe(left)
  })

  describe('before a customer agreed to a higher fee, with which the withdrawal was then paid', () => {
    /** Such a withdrawal: restored, its fee is what it was before, and `agreed` coins more were debited since. */
    async function agreedAndPaid() {
      const { userId, api, withdraw, withdrawal, balance } = await newCustomer(chain)
      const { id } = await withdraw('0.1')
      await runSql("UPDATE withdrawals SET fee_rate = '2800', fee = '1000' WHERE id = ?", id)
      const restore = await keepMoney()
      const before = await balance()
      expect((await api.sendJson('POST', `/withdrawal/${id}/fee`, { maxFee: '1' })).status).toBe(200)
      await chain.work('Bitcoin')
      const after = await balance()
      const paid = await withdrawal(id)
      await chain.confirm('Bitcoin', 2)
      await restore()
      await chain.confirm('Bitcoin')
      expect([await balance(), (await withdrawal(id))?.fee]).toEqual([before, 0.00001])
      expect(await letGo()).toMatchObject({ code: 'sends_unassigned' })
      return { userId, id, withdrawal, balance, after, paid, agreed: before - after }
    }

    it('debits that again when its payout is assigned', async () => {
      const { id, withdrawal, balance, after, paid } = await agreedAndPaid()
      expect(await assign(String(paid?.txid), { as: 'withdrawal' })).toMatchObject({ status: 200, loss: 0 })
      expect([await balance(), (await withdrawal(id))?.fee]).toEqual([after, paid?.fee])
      expect(await letGo()).toMatchObject({ status: 200, stops: [] })
    })

    it('books as a loss what the balance lacks for that', async () => {
      const { userId, id, withdrawal, balance, paid, agreed } = await agreedAndPaid()
      const body = { account: userId, blockchain: 'Bitcoin', amount: `-${await balance()}`, reason: 'x' }
      const headers = { 'Idempotency-Key': crypto.randomUUID() }
      expect((await fetchApi('POST', '/v0/operate/credit', { token: operator.token, body, headers })).status).toBe(200)
      const { loss } = await assign(String(paid?.txid), { as: 'withdrawal' })
      expect(Number(loss)).toBeCloseTo(agreed, 8)
      expect([await balance(), (await withdrawal(id))?.fee]).toEqual([0, paid?.fee])
      expect(await letGo()).toMatchObject({ status: 200, stops: [] })
    })

    it('debits that again when the agent finds its payout, which an operator took for foreign', async () => {
      const { id, withdrawal, balance, after, paid } = await agreedAndPaid()
      expect(await assign(String(paid?.txid), { as: 'foreign' })).toMatchObject({ status: 200 })
      expect(await letGo()).toMatchObject({ status: 200, stops: [] })
      await chain.work('Bitcoin')
      expect(await withdrawal(id)).toMatchObject({ txid: paid?.txid, fee: paid?.fee })
      expect(await balance()).toBe(after)
    })
  })

  it('pays nothing twice where its wallet was never searched for what left it before that moment', async () => {
    const { userId, withdraw } = await newCustomer(chain)
    await runSql('UPDATE wallet_scans SET sends_known = 0')
    const waiting = await withdraw('0.1')
    const restore = await keepMoney()
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    await restore()
    await chain.confirm('Bitcoin')
    expect(await letGo()).toMatchObject({ status: 409, code: 'sends_unassigned' })
    const unknown = (await sends()).filter(({ record }) => record?.account === userId)
    expect(unknown).toMatchObject([{ amount: 0.1, record: { id: waiting.id } }])
    for (const { txid, record } of await sends()) await assign(txid, { as: record ? 'withdrawal' : 'foreign' })
    expect(await letGo()).toMatchObject({ status: 200, stops: [] })
    await chain.confirm('Bitcoin', 2)
    expect(received(waiting.to)).toBe(0.1)
  })

  describe('whose wallet has lost a payout too', () => {
    /** A withdrawal that was paid and confirmed, of which only the record in the bucket tells; its operator has begun to refund it. */
    async function lostPayout(spentOutputs: readonly number[]) {
      const { withdraw, withdrawals, balance } = await newCustomer(chain)
      const { id } = await withdraw('0.1')
      const restore = await keepMoney()
      await chain.work('Bitcoin')
      await chain.confirm('Bitcoin', 2)
      const txid = String((await withdrawals())[0]?.txid)
      const spent = spentOutputs.map((vout) => spendOutput(txid, vout))
      await chain.confirm('Bitcoin')
      await restore()
      chain.devnet
        .node('Bitcoin')
        .wallets.get(SERVICE)
        ?.forgetTransactions([txid, ...spent])
      chain.setAhead(SEARCH_EVERY)
      await chain.confirm('Bitcoin')
      for (const send of await sends()) await assign(send.txid, { as: send.record ? 'withdrawal' : 'foreign' })
      expect(await letGo()).toMatchObject({ status: 200, stops: [] })
      const decide = async (act: string) =>
        await readAnswer(
          await fetchApi('POST', `/v0/operate/withdrawal/${id}`, {
            ...{ token: operator.token, body: { act, reason: 'looked up' } },
          }),
        )
      const restoreOpen = await keepMoney()
      expect(await decide('refund')).toMatchObject({ status: 200, state: 'waiting' })
      return { txid, decide, withdrawals, balance, restoreOpen }
    }

    /** Spends an output of a payout by the wallet whose it is. */
    function spendOutput(txid: string, vout: number): string {
      const { value, scriptPubKey } = Object(chain.call('Bitcoin', 'gettxout', [txid, vout]))
      const { ismine } = Object(chain.callWallet('Bitcoin', 'getaddressinfo', [scriptPubKey.address]))
      const ask = ismine ? chain.callWallet : chain.call
      const outputs = { [String(ask('Bitcoin', 'getnewaddress'))]: (value - 0.0001).toFixed(8) }
      const raw = ask('Bitcoin', 'createrawtransaction', [[{ txid, vout }], outputs])
      const { hex } = Object(ask('Bitcoin', 'signrawtransactionwithwallet', [raw]))
      return String(chain.call('Bitcoin', 'sendrawtransaction', [hex]))
    }

    it('tells its operator of it by its record, where the withdrawal was asked for after that moment', async () => {
      const { userId, withdraw, withdrawals, balance } = await newCustomer(chain)
      const height = Number(chain.call('Bitcoin', 'getblockcount'))
      const restore = await keepMoney()
      const { id } = await withdraw('0.1')
      await chain.work('Bitcoin')
      await chain.confirm('Bitcoin', 2)
      const [before, txid] = [await balance(), String((await withdrawals())[0]?.txid)]
      chain.callWallet('Bitcoin', 'devforgetpayments', [height])
      await restore()
      chain.setAhead(SEARCH_EVERY)
      await chain.work('Bitcoin')
      expect(await letGo()).toMatchObject({ status: 409, code: 'sends_unassigned' })
      const told = (await sends()).filter((send) => send.txid === txid)
      expect(told).toMatchObject([{ amount: 0.1, record: { id, account: userId } }])
      for (const send of await sends()) await assign(send.txid, { as: send.txid === txid ? 'withdrawal' : 'foreign' })
      expect([await balance(), (await withdrawals())[0]?.id]).toEqual([before, id])
      expect(await letGo()).toMatchObject({ status: 200, stops: [] })
      chain.callWallet('Bitcoin', 'rescanblockchain', [0])
      await chain.confirm('Bitcoin', 2)
    })

    it('refunds it only when an operator has said that it was never mined, where both outputs are spent', async () => {
      const { txid, decide, withdrawals, balance } = await lostPayout([0, 1])
      const before = await balance()
      for (let step = 0; step < 3; step++) await chain.confirm('Bitcoin', 7)
      expect(await withdrawals()).toMatchObject([{ state: 'waiting', message: expect.stringContaining(txid) }])
      expect(await balance()).toBe(before)
      expect(await decide('refund')).toMatchObject({ status: 200 })
      await chain.confirm('Bitcoin')
      expect([(await withdrawals())[0]?.state, await balance()]).toEqual(['refunded', 0.5])
    })

    it.each([0, 1])('refunds nothing, whatever an operator says, where only output %s is spent', async (vout) => {
      const { decide, withdrawals, balance } = await lostPayout([vout])
      const before = await balance()
      for (let step = 0; step < 3; step++) await chain.confirm('Bitcoin', 7)
      expect(await decide('refund')).toMatchObject({ status: 409, code: 'request_changing' })
      expect([(await withdrawals())[0]?.state, await balance()]).toEqual(['waiting', before])
    })

    it('gives nothing back where an operator says that it was paid', async () => {
      const { decide, withdrawals, balance } = await lostPayout([0, 1])
      const before = await balance()
      expect(await decide('paid_elsewhere')).toMatchObject({ status: 409, code: 'request_changing' })
      for (let step = 0; step < 3; step++) await chain.confirm('Bitcoin', 7)
      expect(await decide('paid_elsewhere')).toMatchObject({ status: 200 })
      await chain.confirm('Bitcoin')
      expect([(await withdrawals())[0]?.state, await balance()]).toEqual(['paid_elsewhere', before])
    })

    it('ends as paid again where another restore has lost that an operator said so', async () => {
      const { decide, withdrawals, restoreOpen } = await lostPayout([0, 1])
      for (let step = 0; step < 3; step++) await chain.confirm('Bitcoin', 7)
      expect(await decide('paid_elsewhere')).toMatchObject({ status: 200 })
      await chain.confirm('Bitcoin')
      await requestRestore(env, 'Bitcoin')
      await restoreOpen()
      chain.setAhead(2 * SEARCH_EVERY)
      await chain.confirm('Bitcoin')
      expect(await letGo()).toMatchObject({ status: 200, stops: [] })
      for (let step = 0; step < 3; step++) await chain.confirm('Bitcoin', 7)
      expect((await withdrawals())[0]?.state).toBe('paid_elsewhere')
    })
  })

  it('keeps signed bytes from being swept', async () => {
    const key = 'writer/Bitcoin/000000000000000000000000'
    await env.BUCKET.put(key, 'bytes')
    const stop = `INSERT INTO stops (blockchain, part, cause, reason, since) VALUES ('Bitcoin', 'payouts', 'restored', 'x', 1)`
    await runSql(stop)
    const later = Date.now() + 2 * 86_400_000
    await sweepSigned(env, later, 1)
    expect(await env.BUCKET.head(key)).not.toBeNull()
    await runSql('DELETE FROM stops')
    await sweepSigned(env, later, 1)
    expect(await env.BUCKET.head(key)).toBeNull()
  })
})

describe('the record of a payout', () => {
  it('is in the bucket before it is sent, and goes after 40 days', async () => {
    const { userId, withdraw, withdrawals } = await newCustomer(chain)
    const { id } = await withdraw('0.1')
    await chain.work('Bitcoin')
    const [sent] = await withdrawals()
    const txid = String(sent?.txid)
    expect(await getPayoutRecord(env.BUCKET, 'Bitcoin', txid)).toMatchObject({
      id,
      account: userId,
      amount: 10_000_000n,
    })
    const days = (count: number) => Date.now() + count * 86_400_000
    await sweepPayoutRecords(env.DB, env.BUCKET, days(39))
    expect(await getPayoutRecord(env.BUCKET, 'Bitcoin', txid)).toBeDefined()
    await sweepPayoutRecords(env.DB, env.BUCKET, days(41))
    expect(await getPayoutRecord(env.BUCKET, 'Bitcoin', txid)).toBeUndefined()
    await chain.confirm('Bitcoin', 2)
  })

  it('has payouts stop where the bucket takes none, told once, and go on when it does', async () => {
    const { withdraw, withdrawals } = await newCustomer(chain)
    const { to } = await withdraw('0.1')
    const takeRecords = refuseRecords()
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin')
    expect(received(to)).toBe(0)
    expect(await withdrawals()).toMatchObject([
      { state: 'waiting', message: expect.stringContaining('stopped payouts'), since: expect.any(Number) },
    ])
    expect((await get('/operate/health')).chains).toMatchObject({ Bitcoin: { stops: [{ cause: 'records' }] } })
    const results = await runSql(
      `SELECT data FROM events WHERE user_id = ? AND type = 'payouts.stopped' AND data LIKE '%records%'`,
      operator.userId,
    )
    expect(results).toHaveLength(1)
    takeRecords()
    await chain.confirm('Bitcoin')
    await chain.work('Bitcoin')
    expect([received(to), (await get('/operate/send')).sends]).toEqual([0.1, []])
    expect((await withdrawals())[0]).not.toHaveProperty('message')
    await chain.confirm('Bitcoin', 2)
  })
})

describe('the number of payouts', () => {
  it('stops nothing where the database is ahead of the agent, as after a crash between the two', async () => {
    const numbers = {
      ...memoryNumbers(),
      own: 3,
      read: async () => numbers.own,
      write: async (number: number) => {
        numbers.own = number
      },
    }
    const kept = async (number: number) =>
      await runSql(`INSERT OR REPLACE INTO payout_numbers (blockchain, number) VALUES ('Dogecoin', ?)`, number)
    const context = { db: env.DB, bucket: env.BUCKET, now: 1 }
    await kept(4)
    expect([await noticeRestore(context, 'Dogecoin', numbers), numbers.own]).toEqual([4, 4])
    await kept(2)
    const isSettled = true
    expect([await noticeRestore(context, 'Dogecoin', numbers, { isSettled }), numbers.own]).toEqual([undefined, 4])
    expect(await firstRow(`SELECT cause, number FROM stops WHERE blockchain = 'Dogecoin'`)).toEqual({
      ...{ cause: 'restored', number: 4 },
    })
    await runSql('DELETE FROM payout_numbers')
  })
})
