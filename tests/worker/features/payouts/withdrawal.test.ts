import { createExecutionContext, env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { FAUCET } from '../../../../devnet/premine.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { runStep } from '../../../../worker/agent/run-step.ts'
import { deleteFailedRecordStatement, selectFailedRecords } from '../../../../worker/chain/follower/failed-records.ts'
import { insertIncidentStatement, selectIncidents } from '../../../../worker/chain/follower/incidents.ts'
import { selectPayoutNumber } from '../../../../worker/chain/follower/payout-numbers.ts'
import { KEY_BUSY } from '../../../../worker/features/auth/idempotency/idempotency-keys.ts'
import { sendWithdrawals } from '../../../../worker/features/payouts/pay/send-withdrawals.ts'
import { retryWithdrawalStatements } from '../../../../worker/features/payouts/sql/withdrawals.ts'
import { apiApp } from '../../../../worker/hosts/api-app.ts'
import type { Env } from '../../../../worker/platform/bindings.ts'
import { selectEvents } from '../../../../worker/platform/records/event-queue.ts'
import { connect } from '../../../kit/call-devnet.ts'
import { contextOf } from '../../agent-contexts.ts'
import { atEveryFault } from '../../faulty-env.ts'
import { notedStep } from '../../noted-step.ts'
import { add, clear, firstRow, runSql } from '../../rows.ts'
import { accessTokenOf, PASSWORD, signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi } from '../items/api.ts'
import { get, newCustomer } from '../payments/customer.ts'
import { askPayment, mergedItem, readAnswer, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
/** Payouts are not stopped, and all that left the wallet is known. */
const GOING = { stopped: false, knowsSends: true }
beforeEach(() => chain.setAhead(0))

const DEPTH: Record<Blockchain, number> = { Bitcoin: 2, Dogecoin: 6, Nativecoin: 3 }
const elsewhere = (blockchain: Blockchain) => String(chain.call(blockchain, 'getnewaddress'))
const received = (blockchain: Blockchain, address: string) =>
  Number(chain.call(blockchain, 'getreceivedbyaddress', [address, 0]))

/** An account with a balance on a chain. */
const withBalance = (blockchain: Blockchain = 'Bitcoin', coins = '0.5') =>
  newCustomer(chain, { blockchain, coins, blocks: DEPTH[blockchain] })

const withdraw = async (api: Api, order: Record<string, unknown>, key: string = crypto.randomUUID()) =>
  await api.send('POST', '/withdrawal', JSON.stringify({ blockchain: 'Bitcoin', ...order }), {
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
  })

describe('POST /v0/withdrawal', () => {
  for (const blockchain of ['Bitcoin', 'Dogecoin', 'Nativecoin'] as const) {
    it(`takes the amount and the fee out of the balance and sends the amount, to the last unit: ${blockchain}`, async () => {
      const { api } = await withBalance(blockchain)
      const address = elsewhere(blockchain)
      const { fee } = await get(api, `/withdrawal/fee?blockchain=${blockchain}`)
      const asked = await readAnswer(await withdraw(api, { blockchain, address, amount: '0.2' }))
      expect(asked).toMatchObject({
        status: 201,
        blockchain,
        address,
        amount: 0.2,
        fee,
        state: 'waiting',
        txid: null,
        depth: 0,
      })
      const { balances, reserved } = await get(api, '/user')
      const left = Math.round((0.5 - 0.2 - Number(fee)) * 1e8) / 1e8
      expect([balances, reserved]).toMatchObject([
        { [blockchain]: left },
        { [blockchain]: Math.round((0.2 + Number(fee)) * 1e8) / 1e8 },
      ])
      await chain.work(blockchain)
      const [sent] = (await get(api, '/withdrawal')).withdrawals as Record<string, unknown>[]
      expect(sent).toMatchObject({ id: asked.id, state: 'sent', depth: 0 })
      expect(sent?.txid).toMatch(/^[0-9a-f]{64}$/)
      await chain.confirm(blockchain, DEPTH[blockchain] - 1)
      expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([{ state: 'sent' }])
      await chain.confirm(blockchain)
      expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([
        { id: asked.id, state: 'confirmed', depth: DEPTH[blockchain], txid: sent?.txid },
      ])
      expect(received(blockchain, address)).toBe(0.2)
      expect((await get(api, '/user')).reserved).toMatchObject({ [blockchain]: 0 })
      expect((await get(api, '/ledger')).entries).toMatchObject([
        { kind: 'fee', change: -Number(fee), subject: address, balance: left },
        { kind: 'withdrawal', change: -0.2, subject: address },
        { kind: 'deposit', change: 0.5 },
      ])
    })
  }

  it('says with both numbers that a balance is too low', async () => {
    const { api } = await withBalance()
    const answer = await readAnswer(await withdraw(api, { address: elsewhere('Bitcoin'), amount: '0.5' }))
    const { fee, most } = await get(api, '/withdrawal/fee?blockchain=Bitcoin')
    expect(answer).toMatchObject({ status: 409, code: 'balance_too_low', balance: 0.5, fee })
    expect(answer.message).toContain(`at most ${most} can be taken out`)
    const nobody = callApi((await signIn()).headers)
    expect(await get(nobody, '/withdrawal/fee?blockchain=Bitcoin')).toMatchObject({ most: 0, fee })
    const none = await readAnswer(await withdraw(nobody, { address: elsewhere('Bitcoin'), amount: '0.5' }))
    expect(none).toMatchObject({ balance: 0, message: expect.stringContaining('at most 0 can be taken out') })
    expect(Number(most)).toBeCloseTo(0.5 - Number(fee), 8)
    expect((await get(api, '/withdrawal')).withdrawals).toEqual([])
    expect(
      await readAnswer(await withdraw(api, { address: elsewhere('Bitcoin'), amount: String(most) })),
    ).toMatchObject({ status: 201 })
    expect((await get(api, '/user')).balances).toMatchObject({ Bitcoin: 0 })
  })

  it('P8: costs no more than maxFee allows', async () => {
    const { api } = await withBalance()
    const { fee } = await get(api, '/withdrawal/fee?blockchain=Bitcoin')
    const order = { address: elsewhere('Bitcoin'), amount: '0.1' }
    const dear = await readAnswer(await withdraw(api, { ...order, maxFee: '0.00000001' }))
    expect(dear).toMatchObject({ status: 409, code: 'fee_too_high', fee })
    expect((await withdraw(api, { ...order, maxFee: String(fee) })).status).toBe(201)
  })

  it("P4: is refused for what the chain's own node does not take, for IPFS, and for what is no amount, and changes nothing", async () => {
    const { api } = await withBalance()
    const address = elsewhere('Bitcoin')
    for (const order of [
      { address: 'bcrt1qnotanaddress', amount: '0.1' },
      { address: elsewhere('Nativecoin'), amount: '0.1' },
      { address: '', amount: '0.1' },
      { address: '<b>', amount: '0.1' },
      { address, amount: 0.1 },
      { address, amount: '0.000000001' },
      { address, amount: '-1' },
      { address, amount: '0' },
      { address, amount: '0.00000545' },
      { address },
      { amount: '0.1' },
      { address, amount: '0.1', maxFee: 'x' },
      { blockchain: 'IPFS', address, amount: '0.1' },
      { blockchain: 'bitcoin', address, amount: '0.1' },
    ]) {
      const { status } = await withdraw(api, order)
      expect([order, status]).toEqual([order, 400])
    }
    expect((await get(api, '/user')).balances).toMatchObject({ Bitcoin: 0.5 })
    expect((await get(api, '/withdrawal/fee?blockchain=IPFS')).status).toBe(400)
    expect((await get(api, '/withdrawal/fee')).status).toBe(400)
  })

  it('tells an address of Dogecoin from one of Bitcoin by asking the node, where the text alone does not', async () => {
    const { api } = await withBalance('Dogecoin')
    const ofBitcoin = elsewhere('Bitcoin')
    expect((await withdraw(api, { blockchain: 'Dogecoin', address: ofBitcoin, amount: '0.1' })).status).toBe(400)
  })

  it('is 503 where the node is down, and takes nothing', async () => {
    const { api } = await withBalance()
    const address = elsewhere('Bitcoin')
    chain.breakNodes(true)
    const answer = await readAnswer(await withdraw(api, { address, amount: '0.1' }))
    chain.breakNodes(false)
    expect(answer).toMatchObject({ status: 503, code: 'payment_unavailable' })
    expect((await get(api, '/user')).balances).toMatchObject({ Bitcoin: 0.5 })
  })

  it('P3: needs a login of the last ten minutes, which renewing a token is not', async () => {
    const { api, userId } = await withBalance()
    const real = Date.now()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(real - 700_000)
    const token = await accessTokenOf(userId)
    clock.mockReturnValue(real)
    const old = callApi({ Authorization: `Bearer ${token}` })
    const order = { address: elsewhere('Bitcoin'), amount: '0.1' }
    expect(await readAnswer(await withdraw(old, order))).toMatchObject({ status: 403, code: 'login_again' })
    expect((await get(old, '/withdrawal')).status).toBe(200)
    expect((await withdraw(api, order)).status).toBe(201)
  })

  it('P1: is made once under one Idempotency-Key, and another with another body is refused', async () => {
    const { api } = await withBalance()
    const order = { address: elsewhere('Bitcoin'), amount: '0.1' }
    const first = await withdraw(api, order, 'one')
    const again = await withdraw(api, order, 'one')
    expect([first.status, again.status, await again.text()]).toEqual([201, 201, await first.text()])
    expect((await withdraw(api, { ...order, amount: '0.2' }, 'one')).status).toBe(422)
    expect((await get(api, '/withdrawal')).withdrawals).toHaveLength(1)
  })

  it('P1: is refused without an Idempotency-Key, and takes nothing', async () => {
    const { api } = await withBalance()
    const order = { blockchain: 'Bitcoin', address: elsewhere('Bitcoin'), amount: '0.1' }
    const answer = await readAnswer(await api.sendJson('POST', '/withdrawal', order))
    expect(answer).toMatchObject({ status: 400, code: 'idempotency_key_missing' })
    expect((await get(api, '/user')).balances).toMatchObject({ Bitcoin: 0.5 })
  })

  it('P2: never takes more than there is, of requests that come at once', async () => {
    const { api } = await withBalance()
    const orders = [1, 2, 3, 4].map(() => ({ address: elsewhere('Bitcoin'), amount: '0.2' }))
    const statuses = await Promise.all(orders.map(async (order) => (await withdraw(api, order)).status))
    expect(statuses.filter((status) => status === 201)).toHaveLength(2)
    for (const status of statuses) expect([201, 409, 503]).toContain(status)
  })

  it('P6: lets twenty of an account wait, and no more', async () => {
    const { api, userId } = await withBalance()
    const failed = { user_id: userId, address: 'a', state: 'failed' }
    await add('withdrawals', ...Array.from({ length: 20 }, () => ({ ...failed, id: crypto.randomUUID() })))
    const answer = await withdraw(api, { address: elsewhere('Bitcoin'), amount: '0.1' })
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '60'])
  })

  it('P5: lists those of the caller page by page, and of nobody else', async () => {
    const { api, userId } = await withBalance()
    const confirmed = { user_id: userId, address: 'a', state: 'confirmed', created_at: 7 }
    await add('withdrawals', ...Array.from({ length: 70 }, () => ({ ...confirmed, id: crypto.randomUUID() })))
    const first = await get(api, '/withdrawal')
    const second = await get(api, `/withdrawal?cursor=${first.cursor}`)
    const all = [first, second].flatMap(({ withdrawals }) => withdrawals as { id: string }[])
    expect([new Set(all.map(({ id }) => id)).size, all.length, second.cursor]).toEqual([70, 70, undefined])
    expect(first.withdrawals).toHaveLength(50)
    expect((await get((await withBalance()).api, '/withdrawal')).withdrawals).toEqual([])
    expect((await get(api, '/withdrawal?cursor=x')).status).toBe(400)
  })
})

/** What a step of the agent works with. */
function stepContext() {
  return { ...contextOf(), numbers: chain.numbersOf('Bitcoin') }
}

describe('a withdrawal on its way', () => {
  it('is one of five at most that a step signs, counts and sends, each at the beginning of a tx chain', async () => {
    const { api, userId } = await withBalance()
    const number = await selectPayoutNumber(env.DB, 'Bitcoin')
    for (let order = 0; order < 6; order++) {
      expect((await withdraw(api, { address: elsewhere('Bitcoin'), amount: '0.01' })).status).toBe(201)
    }
    const sent = async () => {
      await runStep(stepContext())
      const results = await runSql(
        `SELECT transactions.state, seq FROM transactions JOIN withdrawals ON withdrawals.id = withdrawal_id WHERE user_id = ?`,
        userId,
      )
      return results
    }
    const one = { state: 'sent', seq: 0 }
    expect(await sent()).toEqual(new Array(5).fill(one))
    expect(await selectPayoutNumber(env.DB, 'Bitcoin')).toBe(number + 5)
    const asked = vi.spyOn(chain.devnet, 'handle')
    expect(await sent()).toEqual(new Array(6).fill(one))
    expect(asked.mock.calls.filter(([, call]) => call.includes('"signrawtransaction'))).toHaveLength(1)
    asked.mockRestore()
    expect(await runStep(stepContext())).toMatchObject({ next: 'soon' })
  })

  it('waits where four times as many tx chains are open as are filled, says so, and goes when some are mined', async () => {
    const { api } = await withBalance()
    const addresses = Array.from({ length: 5 }, () => elsewhere('Bitcoin'))
    for (const address of addresses) await withdraw(api, { address, amount: '0.01' })
    await chain.work('Bitcoin', {}, { maxTxChains: 1 })
    const sent = () => addresses.filter((address) => received('Bitcoin', address) > 0).length
    expect(sent()).toBe(4)
    const { withdrawals } = await get(api, '/withdrawal')
    expect((withdrawals as Record<string, unknown>[]).map(({ message }) => message)).toContain(
      'Too many transactions of the service wait to be mined. It is sent automatically when some are.',
    )
    const incidents = async () => (await selectIncidents(env.DB, 'Bitcoin')).map(({ code, reason }) => [code, reason])
    expect(await incidents()).toEqual([['tx_chains_full', 'withdrawals wait for other transactions to be mined']])
    chain.mine('Bitcoin', 2)
    await chain.work('Bitcoin', {}, { maxTxChains: 1 })
    expect([sent(), await incidents()]).toEqual([5, []])
  })

  it('leaves it said that items wait for tx chains, too, when it waits no more', async () => {
    const { api } = await withBalance()
    for (let at = 0; at < 5; at++) await withdraw(api, { address: elsewhere('Bitcoin'), amount: '0.01' })
    await add('items', { id: 'full', status: 202 })
    await add('payment_requests', { id: 'full', state: 'settled', fee_rate: '1' })
    await add('writes', { item_id: 'full', request_id: 'full' })
    const items = { code: 'tx_chains_full', reason: 'paid items wait for other transactions to be mined' } as const
    await insertIncidentStatement(env.DB, 'Bitcoin', { ...items, since: 0 }).run()
    await chain.work('Bitcoin', {}, { maxTxChains: 1 })
    chain.mine('Bitcoin', 2)
    await chain.work('Bitcoin', {}, { maxTxChains: 1 })
    expect(await selectIncidents(env.DB, 'Bitcoin')).toMatchObject([items])
    await clear('incidents', 'writes', 'payment_requests', 'items')
  })

  it('is taken for sent where its transaction, given up for what the node said, is in the mempool after all', async () => {
    const { api } = await withBalance()
    const address = elsewhere('Bitcoin')
    const { id } = await readAnswer(await withdraw(api, { address, amount: '0.1' }))
    const logs = (['warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
    let raw: unknown
    chain.before('sendrawtransaction', ([hex]) => {
      raw = hex
    })
    chain.refuseNext('sendrawtransaction', { code: -26, message: 'scriptpubkey' })
    await chain.work('Bitcoin')
    const txid = chain.call('Bitcoin', 'sendrawtransaction', [raw, 0])
    await env.DB.batch([
      ...retryWithdrawalStatements(env.DB, String(id)),
      deleteFailedRecordStatement(env.DB, 'Bitcoin', 'refused', [String(id)]),
    ])
    const { context, twice } = notedStep(stepContext())
    const height = Number(chain.call('Bitcoin', 'getblockcount'))
    expect([await sendWithdrawals(context, { height, hash: '' }, GOING), twice]).toEqual([false, []])
    expect(await selectFailedRecords(env.DB, 'Bitcoin', 'withdrawal')).toEqual([])
    await chain.confirm('Bitcoin', 2)
    for (const log of logs) log.mockRestore()
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([{ id, state: 'confirmed', txid }])
    expect(received('Bitcoin', address)).toBe(0.1)
  })

  it('does not stop an item, and an item does not stop it', async () => {
    const { api } = await withBalance()
    const warn = vi.spyOn(console, 'warn')
    const address = elsewhere('Bitcoin')
    const id = await mergedItem(api, 'Bitcoin')
    expect(await askPayment(api, [id], 'Bitcoin')).toMatchObject({ status: 200 })
    expect((await withdraw(api, { address, amount: '0.1' })).status).toBe(201)
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(received('Bitcoin', address)).toBe(0.1)
    expect((await showItem(api, id)).status).toBe('200 OK')
    expect(warn.mock.calls.flat()).not.toContain('tx_chains_spent')
    warn.mockRestore()
  })

  it('says that the node finds its fee too low, and no more once it is sent', async () => {
    const { api } = await withBalance()
    const address = elsewhere('Bitcoin')
    expect((await withdraw(api, { address, amount: '0.1' })).status).toBe(201)
    const logs = (['warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
    chain.refuseNext('sendrawtransaction', { code: -26, message: 'min relay fee not met' })
    await chain.work('Bitcoin')
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([
      {
        state: 'waiting',
        message:
          'It waits: the node finds its fees too low now (min relay fee not met). It is tried again automatically.',
        since: expect.any(Number),
      },
    ])
    chain.setAhead(2_000)
    await chain.work('Bitcoin')
    for (const log of logs) log.mockRestore()
    const [sent] = Object((await get(api, '/withdrawal')).withdrawals)
    expect(sent).toMatchObject({ state: 'sent' })
    expect(sent).not.toHaveProperty('message')
    await chain.confirm('Bitcoin', 2)
  })

  it('says that it is tried again where its transaction could not be made, not what it waited for before', async () => {
    const { api } = await withBalance()
    expect((await withdraw(api, { address: elsewhere('Bitcoin'), amount: '0.1' })).status).toBe(201)
    const logs = (['warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
    await chain.work('Bitcoin', { walletLeast: 10n ** 15n })
    chain.refuseNext('getrawchangeaddress', { code: -12, message: 'Keypool ran out' })
    await chain.work('Bitcoin')
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([
      { state: 'waiting', message: expect.stringContaining('could not make its transaction') },
    ])
    chain.setAhead(2_000)
    await chain.work('Bitcoin')
    for (const log of logs) log.mockRestore()
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([{ state: 'sent' }])
    await chain.confirm('Bitcoin', 2)
  })

  it('waits while fees are far above its own, and goes when they fall', async () => {
    const { api } = await withBalance()
    const address = elsewhere('Bitcoin')
    expect((await withdraw(api, { address, amount: '0.1' })).status).toBe(201)
    chain.call('Bitcoin', 'devsetfeerate', ['0.005'])
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await chain.work('Bitcoin')
    expect(warn).toHaveBeenCalledWith('fees_above_ceiling', 'Bitcoin', expect.stringMatching(/^withdrawal .* waits$/))
    warn.mockRestore()
    expect(received('Bitcoin', address)).toBe(0)
    const [waiting] = (await get(api, '/withdrawal')).withdrawals as Record<string, unknown>[]
    expect(waiting).toMatchObject({
      state: 'waiting',
      message: expect.stringMatching(/^The network's fees .* consent to a higher fee/),
    })
    chain.call('Bitcoin', 'devsetfeerate')
    await chain.work('Bitcoin')
    expect(received('Bitcoin', address)).toBe(0.1)
    const [sent] = (await get(api, '/withdrawal')).withdrawals as Record<string, unknown>[]
    expect(sent).toMatchObject({ state: 'sent' })
    expect(sent).not.toHaveProperty('message')
  })

  it('waits for coins of the wallet that has none, without a step that asks for another, and goes when it has', async () => {
    const { api } = await withBalance('Dogecoin', '50')
    const address = elsewhere('Dogecoin')
    expect((await withdraw(api, { blockchain: 'Dogecoin', address, amount: '20' })).status).toBe(201)
    const all = chain.callWallet('Dogecoin', 'getbalance')
    chain.callWallet('Dogecoin', 'sendtoaddress', [elsewhere('Dogecoin'), all, '', '', true])
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await chain.work('Dogecoin')
    expect(warn).toHaveBeenCalledWith('coins_missing', 'Dogecoin', expect.stringMatching(/^withdrawal .* waits/))
    warn.mockRestore()
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([
      { state: 'waiting', message: expect.stringContaining('no confirmed coins for it now') },
    ])
    chain.pay('Dogecoin', chain.callWallet('Dogecoin', 'getnewaddress'), '500')
    await chain.confirm('Dogecoin', DEPTH.Dogecoin)
    expect(received('Dogecoin', address)).toBe(20)
  })

  it('waits for coins of the wallet whose coins are too small to be worth it, and does not say that they are merged', async () => {
    const { api } = await withBalance()
    const { fee } = await get(api, '/withdrawal/fee?blockchain=Bitcoin')
    const all = chain.callWallet('Bitcoin', 'getbalance')
    chain.callWallet('Bitcoin', 'sendtoaddress', [
      connect(chain.devnet, 'Bitcoin', FAUCET)('getnewaddress'),
      all,
      '',
      '',
      true,
    ])
    // Half of the fee of four inputs: less than three times what spending it costs.
    for (let coins = 0; coins < 14; coins++)
      chain.pay('Bitcoin', chain.callWallet('Bitcoin', 'getnewaddress'), (Number(fee) / 2).toFixed(8))
    await chain.confirm('Bitcoin', 2)
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const address = elsewhere('Bitcoin')
    expect((await withdraw(api, { address, amount: (5 * Number(fee)).toFixed(8) })).status).toBe(201)
    await chain.work('Bitcoin')
    warn.mockRestore()
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([
      { state: 'waiting', message: expect.stringContaining('no confirmed coins for it now') },
    ])
    chain.pay('Bitcoin', chain.callWallet('Bitcoin', 'getnewaddress'), '500')
    await chain.confirm('Bitcoin', 2)
    expect(received('Bitcoin', address)).toBeCloseTo(5 * Number(fee), 8)
    await chain.confirm('Bitcoin', 2)
  })

  it('P7: is not paid out while the money that it is of is off the chain', async () => {
    const { api, userId } = await withBalance()
    const address = elsewhere('Bitcoin')
    expect((await withdraw(api, { address, amount: '0.4' })).status).toBe(201)
    const off = env.DB.prepare(
      `UPDATE outputs SET block_hash = NULL, block_height = NULL, in_mempool = 0
       WHERE address IN (SELECT address FROM addresses WHERE user_id = ?)`,
    )
    const results = await runSql<{ block_hash: string; block_height: number; address: string }>(
      'SELECT outputs.* FROM outputs JOIN addresses USING (blockchain, address) WHERE user_id = ?',
      userId,
    )
    await off.bind(userId).run()
    const { context, twice } = notedStep(stepContext())
    expect([await sendWithdrawals(context, { height: 500, hash: '' }, GOING), twice]).toEqual([false, []])
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([
      { state: 'waiting', message: expect.stringContaining('not in the chain for now') },
    ])
    await runSql(
      'UPDATE outputs SET block_hash = ?, block_height = ? WHERE address = ?',
      results[0]?.block_hash,
      results[0]?.block_height,
      results[0]?.address,
    )
    await chain.work('Bitcoin')
    expect(received('Bitcoin', address)).toBe(0.4)
  })

  it('is on its way again when a reorganisation takes a confirmed one off the chain', async () => {
    const { api } = await withBalance()
    await withdraw(api, { address: elsewhere('Bitcoin'), amount: '0.1' })
    await chain.work('Bitcoin')
    const height = Number(chain.call('Bitcoin', 'getblockcount'))
    await chain.confirm('Bitcoin', DEPTH.Bitcoin)
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([{ state: 'confirmed' }])
    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getblockhash', [height + 1])])
    chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
    await chain.work('Bitcoin')
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([{ state: 'sent', depth: 0 }])
    await chain.confirm('Bitcoin', DEPTH.Bitcoin)
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([{ state: 'confirmed' }])
  })

  it('fails with its reason where the node refuses it, and is sent once when an operator lets it go on', async () => {
    const { api, userId } = await withBalance()
    const address = elsewhere('Bitcoin')
    const { id } = await readAnswer(await withdraw(api, { address, amount: '0.1' }))
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    chain.refuseNext('sendrawtransaction', { code: -26, message: 'scriptpubkey' })
    await chain.work('Bitcoin')
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([
      { id, state: 'failed', message: 'The node refuses to send it: scriptpubkey', txid: null },
    ])
    await chain.work('Bitcoin')
    expect(received('Bitcoin', address)).toBe(0)
    const operator = await signIn('admin')
    const operate = callApi(operator.headers)
    const name = `Bitcoin-refused-${id}`
    expect((await get(operate, '/operate/failed-records')).records).toContainEqual({
      ...{ id: name, kind: 'refused', subject: address, owner: userId, blockchain: 'Bitcoin', actions: ['retry'] },
      ...{ reason: 'The node refuses its transactions: scriptpubkey', since: expect.any(Number) },
    })
    const decision = { action: 'retry', reason: 'the node was set up anew' }
    expect((await operate.sendJson('POST', `/operate/failed-records/${name}`, decision)).status).toBe(200)
    expect((await get(operate, `/audit?account=${userId}`)).entries).toContainEqual(
      expect.objectContaining({ act: 'record.retried', by: operator.userId, reason: decision.reason }),
    )
    await chain.work('Bitcoin')
    expect((await operate.sendJson('POST', `/operate/failed-records/${name}`, decision)).status).toBe(404)
    warn.mockRestore()
    error.mockRestore()
    expect((await get(api, '/withdrawal')).withdrawals).toMatchObject([{ id, state: 'sent' }])
    expect(received('Bitcoin', address)).toBe(0.1)
    await chain.confirm('Bitcoin', 2)
    await chain.work('Bitcoin')
    const events = await selectEvents(env.DB, userId, 0, 100)
    const told = events.filter(({ subject }) => subject === id).map(({ type, data }) => ({ type, ...JSON.parse(data) }))
    const paid = { id, blockchain: 'Bitcoin', address, amount: 0.1 }
    expect(told).toEqual([
      { ...paid, type: 'withdrawal.failed', reason: 'The node refuses to send it: scriptpubkey' },
      { ...paid, type: 'withdrawal.sent', txid: expect.any(String) },
      { ...paid, type: 'withdrawal.confirmed', txid: expect.any(String) },
    ])
    const results = await runSql(
      `SELECT prev_txid, prev_vout FROM transaction_inputs JOIN transactions USING (blockchain, txid) WHERE withdrawal_id = ?`,
      id,
    )
    const tied = await firstRow(
      'SELECT coin_txid AS prev_txid, coin_vout AS prev_vout FROM withdrawals WHERE id = ?',
      id,
    )
    expect(results).toContainEqual(tied)
  })
})

describe('closing an account', () => {
  const close = async (api: Api, fields: Record<string, unknown> = {}) =>
    await api.sendJson('DELETE', '/user', { password: PASSWORD, ...fields })

  it('says what is left and where to take it out, and changes nothing', async () => {
    const { api } = await withBalance()
    const refused = await readAnswer(await close(api))
    expect(refused).toMatchObject({ status: 409, code: 'balance_left', balances: { Bitcoin: 0.5 } })
    expect(refused.message).toContain('POST /v0/withdrawal')
    expect((await close(api, { leave: 'yes' })).status).toBe(400)
    expect((await api.send('GET', '/user')).status).toBe(200)
  })

  it('counts as left what a reorganisation has taken off the chain for now', async () => {
    const { api, userId } = await withBalance()
    const addresses = 'SELECT address FROM addresses WHERE user_id = ?'
    await runSql(`UPDATE outputs SET block_hash = NULL, block_height = NULL WHERE address IN (${addresses})`, userId)
    expect(await readAnswer(await close(api))).toMatchObject({ code: 'balance_left', balances: { Bitcoin: 0.5 } })
  })

  it('is done once all is taken out, and what was asked for is still sent', async () => {
    const { api } = await withBalance()
    const address = elsewhere('Bitcoin')
    const { most } = await get(api, '/withdrawal/fee?blockchain=Bitcoin')
    expect((await withdraw(api, { address, amount: String(most) })).status).toBe(201)
    expect((await close(api)).status).toBe(204)
    await chain.work('Bitcoin')
    expect(received('Bitcoin', address)).toBe(most)
  })

  it('with money left is done when that is meant; the money is held, and what comes later too', async () => {
    const { api, userId } = await withBalance()
    const { address } = await get(api, '/payment/Bitcoin')
    expect((await close(api, { leave: true })).status).toBe(204)
    chain.pay('Bitcoin', address, '0.25')
    await chain.confirm('Bitcoin', 2)
    const row = await firstRow('SELECT balance FROM ledger WHERE user_id = ? ORDER BY seq DESC', userId)
    expect(row).toEqual({ balance: '75000000' })
  })
})

describe('a crash between any two awaits', () => {
  it('takes the money once and loses no answer', async () => {
    const { token, userId } = await withBalance('Bitcoin', '9')
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const send = async (bindings: Env, key: string, address: string) =>
      await apiApp.fetch(
        new Request('https://api.example/v0/withdrawal', {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
          body: JSON.stringify({ blockchain: 'Bitcoin', address, amount: '0.001' }),
        }),
        bindings,
        createExecutionContext(),
      )
    const real = Date.now()
    const answers = new Map<string, string>()
    const points = await atEveryFault(
      async () => ({ key: crypto.randomUUID(), address: elsewhere('Bitcoin') }),
      async (bindings, { key, address }) => {
        const response = await send(bindings, key, address)
        if (response.status === 201) answers.set(key, await response.text())
      },
      async ({ key, address }, point) => {
        const clock = vi.spyOn(Date, 'now').mockReturnValue(real + KEY_BUSY + 1000)
        const response = await send(env, key, address)
        clock.mockReturnValue(real)
        const text = await response.text()
        expect([point, response.status]).toEqual([point, 201])
        if (answers.has(key)) expect([point, text]).toEqual([point, answers.get(key)])
        const results = await runSql(
          `SELECT (SELECT COUNT(*) FROM ledger WHERE cause IN ('withdrawal:' || id, 'withdrawal-fee:' || id)) AS moves
           FROM withdrawals WHERE address = ?`,
          address,
        )
        expect([point, results]).toEqual([point, [{ moves: 2 }]])
        await runSql(`UPDATE withdrawals SET state = 'confirmed' WHERE user_id = ?`, userId)
      },
    )
    log.mockRestore()
    expect(points).toBeGreaterThanOrEqual(16)
  })
})
