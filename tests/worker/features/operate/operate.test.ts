import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { upsertFailedRecordStatement } from '../../../../worker/chain/follower/failed-records.ts'
import { reconcileWhenDue } from '../../../../worker/features/operate/reconcile.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { fetchApi } from '../../fetch-api.ts'
import { add, clear, firstRow, runSql } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { askWithdrawal, balanceOf, payDeposit } from '../payments/customer.ts'
import { type Answer, newUser, paidItem, pricedItem, readAnswer, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
const DAY = 86_400_000

let operator: Awaited<ReturnType<typeof signIn>>
let user: Awaited<ReturnType<typeof newUser>>
beforeEach(async () => {
  chain.setAhead(0)
  operator = await signIn('admin')
  user = await newUser()
})

const get = async (path: string): Promise<Answer> =>
  readAnswer(await fetchApi('GET', `/v0${path}`, { token: operator.token }))
const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  readAnswer(await fetchApi('POST', `/v0${path}`, { token: operator.token, body, headers }))
const records = async () => (await get('/operate/failed-records')).records as Record<string, unknown>[]
const lastAct = async () => ((await get('/audit')).entries as Record<string, unknown>[])[0]
const balance = () => balanceOf(user.api)
/** An item of the user's whose request waits, which the agent has recorded as failed. */
async function asideRequest() {
  const { id, address, amount } = await pricedItem(user.api, 'Bitcoin')
  const row = await firstRow<{ id: string }>('SELECT id FROM payment_requests WHERE address = ?', address)
  const aside = { kind: 'request', id: row?.id ?? '', reason: 'it failed', retryAt: Date.now() + 1_000 } as const
  await upsertFailedRecordStatement(env.DB, 'Bitcoin', aside, Date.now()).run()
  return { id, address, amount: Number(amount), name: `Bitcoin-request-${row?.id}` }
}

describe('/v0/operate', () => {
  it('P10: is for operators alone', async () => {
    const { token } = await signIn('user')
    for (const path of ['health', 'failed-records', 'reconciliation', 'sweep', 'pay-out?account=x']) {
      expect((await fetchApi('GET', `/v0/operate/${path}`, { token })).status).toBe(403)
    }
    for (const path of ['failed-records/x', 'credit', 'rewind', 'consolidate', 'sweep', 'pay-out']) {
      expect((await fetchApi('POST', `/v0/operate/${path}`, { token, body: {} })).status).toBe(403)
    }
  })

  it('P10: refuses an act without a reason', async () => {
    const { name } = await asideRequest()
    for (const reason of [undefined, '', ' ', 7, 'x'.repeat(1_001)]) {
      const refused = await post(`/operate/failed-records/${name}`, { action: 'settle', reason })
      expect(refused).toMatchObject({ status: 400, code: 'invalid_field', message: expect.stringMatching(/^reason/) })
    }
    expect((await records()).map(({ id }) => id)).toContain(name)
  })
})

describe('failed records', () => {
  it('is listed with what it is, whose, why and what can be done', async () => {
    const { name, address } = await asideRequest()
    expect((await records()).find(({ id }) => id === name)).toEqual({
      id: name,
      kind: 'request',
      subject: address,
      owner: user.userId,
      blockchain: 'Bitcoin',
      reason: 'it failed',
      since: expect.any(Number),
      actions: ['retry', 'settle', 'credit'],
    })
  })

  it('is tried again by the next step when an operator lets it go on', async () => {
    const { name, address, amount, id } = await asideRequest()
    chain.pay('Bitcoin', address, amount)
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect((await showItem(user.api, id)).status).toBe('402 Payment Required')
    expect(await post(`/operate/failed-records/${name}`, { action: 'retry', reason: 'mended' })).toMatchObject({
      status: 200,
    })
    await chain.work('Bitcoin')
    expect((await showItem(user.api, id)).status).toBe('202 Accepted')
    expect(await lastAct()).toMatchObject({
      act: 'record.retried',
      by: operator.userId,
      account: user.userId,
      reason: 'mended',
    })
  })

  it('is settled by hand: what is missing is given, what was paid is kept, and the items are written', async () => {
    const { name, address, amount, id } = await asideRequest()
    chain.pay('Bitcoin', address, '0.00001')
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(
      await post(`/operate/failed-records/${name}`, { action: 'settle', reason: 'paid by invoice' }),
    ).toMatchObject({
      status: 200,
    })
    expect((await showItem(user.api, id)).status).toBe('202 Accepted')
    expect(await balance()).toBe(0)
    const results = await runSql<{ amount: string; cause: string }>(
      'SELECT amount, cause FROM ledger WHERE user_id = ? ORDER BY seq',
      user.userId,
    )
    const given = Math.round(amount * 1e8) - 1_000
    expect(results.map((row) => [row.cause.split(':')[0], Number(row.amount)])).toEqual([
      ['output', 1_000],
      ['manual', given],
      ['request', -(given + 1_000)],
    ])
    expect(await lastAct()).toMatchObject({ act: 'payment.settled', account: user.userId, blockchain: 'Bitcoin' })
    expect(await post(`/operate/failed-records/${name}`, { action: 'settle', reason: 'again' })).toMatchObject({
      status: 409,
    })
  })

  it('becomes balance when an operator ends its request', async () => {
    const { name, address, id } = await asideRequest()
    chain.pay('Bitcoin', address, '0.00002')
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    await post(`/operate/failed-records/${name}`, { action: 'credit', reason: 'the customer gave up' })
    await chain.work('Bitcoin')
    expect(await balance()).toBe(0.00002)
    expect((await showItem(user.api, id)).status).toBe('402 Payment Required')
  })

  it('has stopped items, which go on', async () => {
    const { id, address, amount } = await pricedItem(user.api, 'Bitcoin')
    chain.pay('Bitcoin', address, amount)
    await chain.work('Bitcoin')
    const bytes = await (await env.BUCKET.get(`stored/${id}`))?.arrayBuffer()
    await env.BUCKET.delete(`stored/${id}`)
    await chain.confirm('Bitcoin', 2)
    const name = `Bitcoin-stopped-${id}`
    expect((await records()).find((record) => record.id === name)).toMatchObject({
      kind: 'stopped',
      actions: ['retry'],
    })
    await env.BUCKET.put(`stored/${id}`, bytes ?? '')
    expect(await post(`/operate/failed-records/${name}`, { action: 'retry', reason: 'restored' })).toMatchObject({
      status: 200,
    })
    await chain.confirm('Bitcoin', 2)
    await chain.confirm('Bitcoin', 2)
    expect((await showItem(user.api, id)).status).toBe('200 OK')
    expect((await records()).map((record) => record.id)).not.toContain(name)
  })

  it('is not decided by an act that makes no sense for it, nor under a name that is none', async () => {
    const { name } = await asideRequest()
    expect(await post(`/operate/failed-records/${name}`, { action: 'close', reason: 'x' })).toMatchObject({
      status: 400,
    })
    expect(await post('/operate/failed-records/Bitcoin-tx_chain-7', { action: 'close', reason: 'x' })).toMatchObject({
      status: 404,
    })
    expect(await post('/operate/failed-records/nothing', { action: 'retry', reason: 'x' })).toMatchObject({
      status: 404,
    })
  })

  it('closes a tx chain, which starts nothing any more', async () => {
    await paidItem(chain, user.api, 'Bitcoin')
    const txChain = await firstRow(`SELECT id, coin_txid, coin_vout FROM tx_chains WHERE state = 'open' LIMIT 1`)
    const coin = `${txChain?.coin_txid}:${txChain?.coin_vout}`
    const aside = { kind: 'tx_chain', id: coin, reason: 'it cannot be signed', retryAt: Date.now() + DAY } as const
    await upsertFailedRecordStatement(env.DB, 'Bitcoin', aside, Date.now()).run()
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const body = { action: 'close', reason: 'spent' }
    const close = () =>
      fetchApi('POST', `/v0/operate/failed-records/Bitcoin-tx_chain-${coin}`, { token: operator.token, body, headers })
    expect([(await close()).status, (await close()).status]).toEqual([200, 200])
    expect(
      await firstRow('SELECT state FROM tx_chains WHERE blockchain = ? AND id = ?', 'Bitcoin', txChain?.id),
    ).toEqual({
      state: 'closed',
    })
    expect(await lastAct()).toMatchObject({ act: 'tx_chain.closed', reason: 'spent' })
  })
})

describe('a balance', () => {
  const credit = (amount: string, headers: Record<string, string> = {}, more: object = {}) =>
    post(
      '/operate/credit',
      { account: user.userId, blockchain: 'Bitcoin', amount, reason: 'a test', ...more },
      { 'Idempotency-Key': crypto.randomUUID(), ...headers },
    )

  it('is added to by hand, and taken away no further than it goes', async () => {
    expect(await credit('0.5')).toMatchObject({ status: 200, amount: '0.5' })
    expect(await credit('-0.6')).toMatchObject({ status: 409, code: 'balance_exceeded', balance: '0.5' })
    expect(await credit('-0.2')).toMatchObject({ status: 200 })
    expect(await balance()).toBe(0.3)
    expect(await lastAct()).toMatchObject({ act: 'payment.credited', amount: -0.2, account: user.userId })
  })

  it('is named by its id in the log and in the answer, also where the operator named it by its address', async () => {
    const { email } = await (await user.api.send('GET', '/user')).json<{ email: string }>()
    const credited = await credit('0.1', {}, { account: email.toUpperCase() })
    expect(credited).toMatchObject({ status: 200, account: user.userId })
    expect(await lastAct()).toMatchObject({ subject: `account:${user.userId}`, account: user.userId })
  })

  it('P1: is added to once where the same act is sent twice', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const answers = await Promise.all([credit('0.1', headers), credit('0.1', headers)])
    expect(answers.map(({ status }) => status).every((status) => status === 200 || status === 409)).toBe(true)
    expect(await credit('0.1', headers)).toMatchObject({ status: 200 })
    expect(await balance()).toBe(0.1)
  })

  it('is added to with an answer that is no replay, and with one that says so where the act is sent again', async () => {
    const body = { account: user.userId, blockchain: 'Bitcoin', amount: '0.1', reason: 'a test' }
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const isReplayed = async () => {
      const answer = await fetchApi('POST', '/v0/operate/credit', { token: operator.token, body, headers })
      return answer.headers.has('Idempotent-Replayed')
    }
    expect([await isReplayed(), await isReplayed()]).toEqual([false, true])
  })

  it('P1: is not added to without an Idempotency-Key', async () => {
    const order = { account: user.userId, blockchain: 'Bitcoin', amount: '0.1', reason: 'a test' }
    expect(await post('/operate/credit', order)).toMatchObject({ status: 400, code: 'idempotency_key_missing' })
    expect(await balance()).toBe(0)
  })

  it('is not added to beyond what the wallet holds, unless that is meant', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const most = async () => (await credit('1000000000')).most
    const refused = await credit('1000000000')
    expect(refused).toMatchObject({
      status: 409,
      code: 'wallet_exceeded',
      most: expect.stringMatching(/^\d+(\.\d+)?$/),
    })
    expect(await balance()).toBe(0)
    expect(await credit(String(refused.most))).toMatchObject({ status: 200 })
    expect(await most()).toBe('0')
    expect(await credit('0.00000001')).toMatchObject({ status: 409, code: 'wallet_exceeded' })
    expect(await credit('0.00000001', {}, { unbacked: 'yes' })).toMatchObject({ status: 400, code: 'invalid_field' })
    expect(await lastAct()).not.toHaveProperty('unbacked')
    expect(await credit('0.00000001', {}, { unbacked: true })).toMatchObject({ status: 200 })
    expect(await lastAct()).toMatchObject({ act: 'payment.credited', amount: 0.00000001, unbacked: true })
    chain.breakNodes(true)
    expect(await credit('0.00000001')).toMatchObject({ status: 503, code: 'payment_unavailable' })
    expect(await credit('0.00000001', {}, { unbacked: true })).toMatchObject({ status: 200 })
    expect(await credit(`-${refused.most}`)).toMatchObject({ status: 200 })
    chain.breakNodes(false)
    expect(await balance()).toBe(0.00000002)
    log.mockRestore()
  })

  it('is not added to with what the wallet owes for a withdrawal that waits', async () => {
    expect(await credit('0.5')).toMatchObject({ status: 200 })
    const { most } = await credit('1000000000')
    const order = { address: chain.call('Bitcoin', 'getnewaddress'), amount: '0.2' }
    expect(await askWithdrawal(user.api, order)).toMatchObject({ status: 201 })
    expect(await credit('1000000000')).toMatchObject({ status: 409, most })
  })

  it.each([['0'], ['x'], ['0.000000001'], [''], ['1e12'], ['-1e30'], ['\u0661'], [' 1'], ['+1'], ['0x1']])(
    'takes no %j',
    async (amount) => {
      expect(await credit(amount)).toMatchObject({ status: 400, code: 'invalid_field' })
    },
  )
})

describe('rewinding', () => {
  it('finds a payment again that is not known any more, and counts nothing twice', async () => {
    await payDeposit(chain, user.api, '0.4')
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 3)
    const other = await (await user.api.send('GET', '/payment/Bitcoin')).json<{ address: string }>()
    chain.pay('Bitcoin', other.address, '0.3')
    await chain.confirm('Bitcoin', 3)
    await runSql('DELETE FROM outputs WHERE address = ?', other.address)
    await runSql(`DELETE FROM ledger WHERE user_id = ? AND amount = '30000000'`, user.userId)
    await chain.work('Bitcoin')
    expect(await balance()).toBe(0.4)
    expect(await post('/operate/rewind', { blockchain: 'Bitcoin', reason: 'a row was lost' })).toMatchObject({
      status: 202,
      height: null,
    })
    await chain.work('Bitcoin')
    expect(await balance()).toBe(0.7)
    expect(await lastAct()).toMatchObject({ act: 'scan.rewound', subject: 'block:first' })
  })

  it('takes only a block that is followed', async () => {
    await chain.work('Bitcoin')
    const tip = Number(chain.call('Bitcoin', 'getblockcount'))
    expect(await post('/operate/rewind', { blockchain: 'Bitcoin', height: tip - 1, reason: 'x' })).toMatchObject({
      status: 202,
    })
    const refused = await post('/operate/rewind', { blockchain: 'Bitcoin', height: tip + 1, reason: 'x' })
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining(`to ${tip}`) })
  })
})

describe('consolidating', () => {
  const pile = async () => {
    for (let coins = 0; coins < 3; coins++) {
      chain.pay('Dogecoin', chain.callWallet('Dogecoin', 'getnewaddress'), '5')
    }
    await chain.confirm('Dogecoin', 6)
  }

  it('is 503 where the node is down', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    chain.breakNodes(true)
    const refused = await post('/operate/consolidate', { blockchain: 'Dogecoin', reason: 'fees are low' })
    chain.breakNodes(false)
    log.mockRestore()
    expect(refused).toMatchObject({ status: 503, code: 'payment_unavailable' })
  })

  it.each([
    ['the audit log does not take it', 'INSERT ON audit'],
    ['its answer is not kept', 'UPDATE ON idempotency_keys'],
  ])('is not done where %s, and is done by the next request with its key', async (_, refused) => {
    await pile()
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const signed = async () =>
      await env.DB.prepare(`SELECT COUNT(*) AS n FROM transactions WHERE blockchain = 'Dogecoin'`).first('n')
    const before = await signed()
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const consolidate = () => post('/operate/consolidate', { blockchain: 'Dogecoin', reason: 'fees are low' }, headers)
    await runSql(`CREATE TRIGGER is_full BEFORE ${refused} BEGIN SELECT RAISE(ABORT, 'full'); END`)
    expect(await consolidate()).toMatchObject({ status: 503, code: 'storage_unavailable' })
    await runSql('DROP TRIGGER is_full')
    expect(await signed()).toBe(before)
    const made = await consolidate()
    expect(made).toMatchObject({ status: 202, blockchain: 'Dogecoin' })
    expect(await lastAct()).toMatchObject({ act: 'coins.consolidated', reason: 'fees are low' })
    expect(await consolidate()).toEqual(made)
    log.mockRestore()
  })

  it('makes one coin of those that nothing uses, or says that there is nothing to make it of', async () => {
    await pile()
    const made = await post('/operate/consolidate', { blockchain: 'Dogecoin', reason: 'fees are low' })
    expect(made).toMatchObject({ status: 202, blockchain: 'Dogecoin' })
    expect(Number(made.coins)).toBeGreaterThanOrEqual(3)
    expect(await lastAct()).toMatchObject({ act: 'coins.consolidated', reason: 'fees are low' })
    const again = await post('/operate/consolidate', { blockchain: 'Dogecoin', reason: 'once more' })
    expect(again).toMatchObject({ status: 409, code: 'nothing_to_gather' })
  })
})

describe('reconciliation', () => {
  const bitcoin = async () => {
    const { chains } = await get('/operate/reconciliation')
    return (chains as Record<string, unknown>[]).find(({ blockchain }) => blockchain === 'Bitcoin')
  }

  it('agrees to the last unit through deposits, payments that wait, and what is written', async () => {
    await paidItem(chain, user.api, 'Bitcoin')
    const { address } = await pricedItem(user.api, 'Bitcoin')
    chain.pay('Bitcoin', address, '0.00001234')
    await chain.confirm('Bitcoin', 2)
    const found = await bitcoin()
    expect(found).toMatchObject({ difference: 0, ledger: found?.wallet, chain: found?.wallet })
    expect(Number(found?.wallet)).toBeGreaterThan(0)
    expect(Number(found?.held)).toBeGreaterThan(Number(found?.owed))
  })

  it('says by how much the books differ: a credit without money, and money without a credit', async () => {
    await chain.work('Bitcoin')
    const row = { user_id: user.userId, seq: 1, cause: `output:${'ab'.repeat(32)}:0` }
    await add('ledger', { ...row, amount: '777', balance: '777' })
    expect(await bitcoin()).toMatchObject({ difference: -0.00000777 })
    expect(await get('/operate/health')).toMatchObject({ agrees: false })
    await runSql('DELETE FROM ledger WHERE user_id = ?', user.userId)
    expect(await bitcoin()).toMatchObject({ difference: 0 })
    expect(await get('/operate/health')).toMatchObject({ agrees: true, reconciledAt: expect.any(Number) })
  })

  it('counts what left the wallet and is not assigned as a difference', async () => {
    await chain.work('Bitcoin')
    const send = { txid: 'cd'.repeat(32), amount: '555', seen_at: 0 }
    await add('sends', { ...send, blockchain: 'Bitcoin' }, { ...send, blockchain: 'Dogecoin' })
    expect(await bitcoin()).toMatchObject({ difference: -0.00000555, unassigned: 0.00000555 })
    await runSql("UPDATE sends SET assigned = 'foreign'")
    expect(await bitcoin()).toMatchObject({ difference: 0, unassigned: 0 })
    await clear('sends')
  })

  it('adds up more than an integer of the database holds', async () => {
    await chain.work('Dogecoin')
    const amount = '9000000000000000000'
    const row = { user_id: user.userId, blockchain: 'Dogecoin', amount, balance: amount }
    await add('ledger', ...[1, 2, 3].map((seq) => ({ ...row, seq, cause: `output:${seq}:0` })))
    const { chains } = await get('/operate/reconciliation')
    const dogecoin = (chains as Record<string, unknown>[]).find(({ blockchain }) => blockchain === 'Dogecoin')
    await runSql('DELETE FROM ledger WHERE user_id = ?', user.userId)
    expect(Number(dogecoin?.owed)).toBeGreaterThanOrEqual(270_000_000_000)
  })

  it('is made once a night, and when the command beside the service asks, and told in the log', async () => {
    const info = vi.spyOn(console, 'info').mockImplementation(() => undefined)
    const made = async (at: number) => {
      info.mockClear()
      await reconcileWhenDue(env.DB, readConfig(env), at)
      return info.mock.calls.filter(([code]) => code === 'reconciled').length > 0
    }
    const night = Math.floor(Date.now() / DAY) * DAY + 5 * DAY + 3 * 3_600_000
    expect(await made(night)).toBe(true)
    expect(await made(night + 60_000)).toBe(false)
    expect(await made(night + DAY - 60_000)).toBe(false)
    await runSql('UPDATE reconciliation_asks SET asked_at = ?', night + DAY - 50_000)
    expect(await made(night + DAY - 40_000)).toBe(true)
    expect(await made(night + DAY)).toBe(true)
    info.mockRestore()
  })
})

describe('GET /v0/operate/health', () => {
  it('tells how each chain is, what waits and what is free', async () => {
    await paidItem(chain, user.api, 'Bitcoin')
    const { chains, storage, readAt } = await get('/operate/health')
    expect({ storage, readAt }).toEqual({ storage: 'ok', readAt: expect.any(Number) })
    expect((chains as Record<string, unknown>).Bitcoin).toMatchObject({
      height: expect.any(Number),
      payment: 'up',
      locked: false,
      waiting: expect.any(Number),
      oldestUnwritten: expect.any(Number),
      reason: null,
      remedy: null,
    })
  })

  it('says what is wrong with a wallet, and what helps', async () => {
    chain.callWallet('Bitcoin', 'encryptwallet', ['secret'])
    const { chains } = await get('/operate/health')
    const { Bitcoin } = chains as Record<string, Record<string, unknown>>
    chain.callWallet('Bitcoin', 'walletpassphrase', ['secret', 100_000])
    expect(Bitcoin).toMatchObject({
      locked: true,
      payment: 'down',
      reason: 'the wallet is locked',
      remedy: expect.stringContaining('walletpassphrase'),
    })
  })
})

describe('a node whose chain shares none of the blocks that are kept', () => {
  const rewind = async (more: Record<string, unknown>) =>
    await post('/operate/rewind', { blockchain: 'Bitcoin', reason: 'the node was set up anew', ...more })
  const moves = async () => await env.DB.prepare('SELECT COUNT(*) AS n FROM ledger').first('n')
  const heightOf = (hash: unknown) => Number(Object(chain.call('Bitcoin', 'getblockheader', [hash])).height)
  const money = async () => {
    const { balances, reserved } = await readAnswer(await user.api.send('GET', '/user'))
    return [Object(balances).Bitcoin, Object(reserved).Bitcoin]
  }
  async function deposit(coins: string): Promise<string> {
    const txid = await payDeposit(chain, user.api, coins)
    await chain.confirm('Bitcoin', 3)
    return txid
  }

  it('is followed when an operator accepts it: nothing is credited twice, and what is in no block of it is reserved', async () => {
    await deposit('0.4')
    const fork = Number(chain.call('Bitcoin', 'getblockcount'))
    expect(await rewind({ acceptChain: true })).toMatchObject({ status: 409, code: 'nothing_to_accept' })
    await deposit('0.3')
    const lost = await deposit('0.2')
    const { hex } = Object(chain.callWallet('Bitcoin', 'gettransaction', [lost]))
    await chain.confirm('Bitcoin', 310)
    expect(await money()).toEqual([0.9, 0])
    const before = await moves()

    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getblockhash', [fork + 1])])
    chain.evict('Bitcoin', lost)
    chain.mine('Bitcoin', 320)
    await expect(chain.work('Bitcoin')).rejects.toThrow('shares none of the last')
    expect(await rewind({})).toMatchObject({ status: 202 })
    await expect(chain.work('Bitcoin')).rejects.toThrow('shares none of the last')

    expect(await rewind({ acceptChain: 'yes' })).toMatchObject({ status: 400, code: 'invalid_field' })
    for (const height of [0, fork + 321]) {
      expect(await rewind({ acceptChain: true, height })).toMatchObject({ status: 400, code: 'invalid_field' })
    }
    const genesis = `UPDATE chain_states SET genesis = ? WHERE blockchain = 'Bitcoin'`
    await runSql(genesis, '00'.repeat(32))
    expect(await rewind({ acceptChain: true })).toMatchObject({ status: 409, code: 'wrong_network' })
    await runSql(genesis, chain.call('Bitcoin', 'getblockhash', [0]))

    const accepted = await rewind({ acceptChain: true })
    expect(accepted).toMatchObject({ status: 202, blockchain: 'Bitcoin', height: expect.any(Number) })
    const first = chain.call('Bitcoin', 'getblockhash', [accepted.height])
    expect(await lastAct()).toMatchObject({
      act: 'chain.accepted',
      subject: `block:${accepted.height}:${first}`,
      reason: 'the node was set up anew',
    })
    expect(heightOf(first)).toBeLessThanOrEqual(fork)
    await chain.work('Bitcoin')
    expect(await money()).toEqual([0.7, 0.2])

    chain.call('Bitcoin', 'sendrawtransaction', [hex])
    await chain.confirm('Bitcoin', 3)
    expect(await money()).toEqual([0.9, 0])
    expect(await moves()).toBe(before)
    expect(await deposit('0.1')).toEqual(expect.any(String))
    expect(await money()).toEqual([1, 0])
  })
})
