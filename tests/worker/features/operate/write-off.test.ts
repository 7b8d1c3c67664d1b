import { env } from 'cloudflare:test'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { differenceOf } from '../../../../worker/features/operate/difference-of.ts'
import { lostDeposits } from '../../../../worker/features/operate/list-lost-deposits.ts'
import { readReconciliations } from '../../../../worker/features/operate/reconcile.ts'
import { writeOffDeposit } from '../../../../worker/features/operate/write-off-deposit.ts'
import { requestContext } from '../../../../worker/features/payments/payment-context.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { connect } from '../../../kit/call-devnet.ts'
import { add } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi } from '../items/api.ts'
import { askWithdrawal, get, newCustomer } from '../payments/customer.ts'
import { readAnswer } from '../payments/pay-for-items.ts'

const chain = useDevnet()
let operator: Api
beforeAll(async () => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  operator = callApi((await signIn('admin')).headers)
})
afterAll(() => void vi.restoreAllMocks())

const elsewhere = () => String(chain.call('Bitcoin', 'getnewaddress'))

async function difference() {
  const found = await readReconciliations(env.DB, readConfig(env), Date.now())
  const [bitcoin] = found.filter(({ blockchain }) => blockchain === 'Bitcoin')
  return bitcoin && differenceOf(bitcoin)
}

/** An account with a deposit that is credited, of 0.5. */
async function credited() {
  const { userId, api, balance, deposit: txid } = await newCustomer(chain, { blocks: 3 })
  const { vout } = Object(await env.DB.prepare('SELECT vout FROM outputs WHERE txid = ?').bind(txid).first())
  const name = `Bitcoin-${txid}-${vout}`
  const writeOff = async () =>
    await readAnswer(await operator.sendJson('POST', `/operate/deposit/${name}/write-off`, { reason: 'a test' }))
  return { api, userId, txid, name, writeOff, balance }
}

/** Takes the blocks from that of the transaction on off the chain, with another one in its place; `raw` brings it back. */
async function spendOtherwise(txid: string, blocks: number) {
  const { blockhash, hex: raw } = Object(chain.callWallet('Bitcoin', 'gettransaction', [txid]))
  const [input] = Object(chain.call('Bitcoin', 'getrawtransaction', [txid, true])).vin
  const previous = Object(chain.call('Bitcoin', 'getrawtransaction', [input.txid, true]))
  const value = Number(previous.vout[input.vout].value)
  chain.call('Bitcoin', 'invalidateblock', [blockhash])
  chain.evict('Bitcoin', txid)
  const outputs = { [elsewhere()]: (value - 0.001).toFixed(8) }
  const spends = [{ txid: input.txid, vout: input.vout }]
  const other = chain.call('Bitcoin', 'createrawtransaction', [spends, outputs])
  const signed = Object(connect(chain.devnet, 'Bitcoin', 'faucet')('signrawtransactionwithwallet', other))
  const otherTxid = String(chain.call('Bitcoin', 'sendrawtransaction', [signed.hex]))
  chain.mine('Bitcoin')
  const parting = String(chain.call('Bitcoin', 'getbestblockhash'))
  await chain.work('Bitcoin')
  await chain.mineAndWork('Bitcoin', blocks - 1)
  return { parting, raw, otherTxid }
}

/** What an operator's acts work with where payments of this size need four confirmations. */
function strictContext() {
  const config = readConfig(env)
  const confirmationsAbove = [{ from: 10_000_000n, confirmations: 4 }]
  const chains = { ...config.chains, Bitcoin: { ...config.chains.Bitcoin, confirmationsAbove } }
  return { ...requestContext(env.DB, { ...config, chains }), now: Date.now() }
}

describe('a deposit that was credited and spent otherwise', () => {
  it('is lost when what took its place is as deep as its amount asks for', async () => {
    const { txid, name } = await credited()
    await spendOtherwise(txid, 3)
    const context = strictContext()
    await expect(writeOffDeposit(context, name, () => [])).rejects.toMatchObject({ code: 'deposit_not_lost' })
    await chain.mineAndWork('Bitcoin')
    expect(await writeOffDeposit(context, name, () => [])).toMatchObject({ amount: 50_000_000n })
  })

  it('is listed while its transaction is in no block, as lost once another is as deep in its place', async () => {
    const { txid, name, userId, writeOff } = await credited()
    const listed = async () => {
      const { deposits } = await get(operator, '/operate/deposit')
      return (deposits as Record<string, unknown>[]).filter(({ id }) => id === name)
    }
    expect(await listed()).toEqual([])
    await spendOtherwise(txid, 1)
    const one = { id: name, blockchain: 'Bitcoin', txid, account: userId, amount: 0.5, since: expect.any(Number) }
    expect(await listed()).toMatchObject([{ ...one, lost: false }])
    await chain.mineAndWork('Bitcoin')
    expect(await listed()).toMatchObject([{ ...one, lost: true }])
    chain.breakNodes(true)
    expect(await listed()).toMatchObject([{ ...one, lost: null }])
    chain.breakNodes(false)
    await writeOff()
    expect(await listed()).toEqual([])
  })

  it('is one of a hundred on a page, with the cursor of the next', async () => {
    const rows = ['Bitcoin', 'Dogecoin'].flatMap((blockchain) =>
      Array.from({ length: 110 }, (_, n) => ({
        blockchain,
        txid: n.toString(16).padStart(64, '0'),
        vout: n % 2,
        address: `b${n % 3}`,
        credited: 1,
      })),
    )
    for (const blockchain of ['Bitcoin', 'Dogecoin'])
      await add('addresses', ...['b0', 'b1', 'b2'].map((address) => ({ blockchain, address, user_id: address })))
    await add('outputs', ...rows)
    const ids: unknown[] = []
    let cursor: unknown
    for (const size of [100, 100, 20]) {
      const page = await get(operator, `/operate/deposit${cursor === undefined ? '' : `?cursor=${cursor}`}`)
      expect(page.deposits).toHaveLength(size)
      ids.push(...(page.deposits as { id: string }[]).map(({ id }) => id))
      cursor = page.cursor
    }
    expect(cursor).toBeUndefined()
    const all = rows.map(({ blockchain, txid, vout }) => `${blockchain}-${txid}-${vout}`)
    expect(ids.sort()).toEqual(all.sort())
    expect(await get(operator, '/operate/deposit?cursor=Bitcoin')).toMatchObject({ status: 400 })
    await env.DB.prepare("DELETE FROM outputs WHERE address IN ('b0', 'b1', 'b2')").run()
  })

  it('is not listed as lost before it can be written off, where its amount asks for more confirmations', async () => {
    const { txid, name, writeOff } = await credited()
    await spendOtherwise(txid, 3)
    const isLost = async () => {
      const { deposits } = JSON.parse(await lostDeposits(strictContext(), undefined))
      return deposits.find(({ id }: { id: string }) => id === name)?.lost
    }
    expect(await isLost()).toBe(false)
    await chain.mineAndWork('Bitcoin')
    expect(await isLost()).toBe(true)
    await writeOff()
  })

  it('is written off: the books agree again, and it is taken once', async () => {
    const { api, txid, userId, writeOff, balance, name } = await credited()
    await spendOtherwise(txid, 8)
    const { address } = await get(api, '/payment/Bitcoin')
    chain.pay('Bitcoin', address, '0.5')
    await chain.mineAndWork('Bitcoin', 3)
    expect([await balance(), await difference()]).toEqual([0.5, -50_000_000n])
    // By hand nothing more is taken than what can be spent.
    const credit = async (amount: string) =>
      await readAnswer(
        await operator.sendJson(
          'POST',
          '/operate/credit',
          { account: userId, blockchain: 'Bitcoin', amount, reason: 'a test' },
          { 'Idempotency-Key': crypto.randomUUID() },
        ),
      )
    expect(await credit('-0.6')).toMatchObject({ status: 409, code: 'balance_exceeded', balance: '0.5' })
    expect(await writeOff()).toEqual({
      ...{ status: 200, id: name, account: userId, blockchain: 'Bitcoin', amount: 0.5, loss: 0 },
    })
    expect([await balance(), await difference()]).toEqual([0.5, 0n])
    const { entries } = await get(operator, '/audit')
    expect(Array.isArray(entries) && entries[0]).toMatchObject({
      ...{ act: 'deposit.written_off', account: userId, amount: -0.5, subject: `output:${name}`, reason: 'a test' },
    })
    expect(await writeOff()).toMatchObject({ status: 404 })
    expect(await balance()).toBe(0.5)
  })

  it('is a loss as far as the balance lacks it, and credited anew where it comes back', async () => {
    const { api, txid, writeOff, balance, userId } = await credited()
    const { fee } = await askWithdrawal(api, { address: elsewhere(), amount: '0.3' })
    await chain.work('Bitcoin')
    const { parting, raw, otherTxid } = await spendOtherwise(txid, 8)
    const written = await writeOff()
    expect(written).toMatchObject({ status: 200, amount: 0.5, loss: expect.closeTo(0.3 + Number(fee), 8) })
    expect([await balance(), await difference()]).toEqual([0, 0n])
    const causes = async () => {
      const { results } = await env.DB.prepare('SELECT cause FROM ledger WHERE user_id = ? ORDER BY seq')
        .bind(userId)
        .all()
      return results.map(({ cause }) => String(cause).replace(/:.*?(:\d+)?(:\d+)?$/, '$2'))
    }
    expect(await causes()).toEqual(['output', 'withdrawal', 'withdrawal-fee', 'loss', 'write-off'])
    chain.call('Bitcoin', 'invalidateblock', [parting])
    chain.evict('Bitcoin', otherTxid)
    chain.call('Bitcoin', 'sendrawtransaction', [raw])
    await chain.mineAndWork('Bitcoin', 12)
    expect([await balance(), await difference()]).toEqual([0.5, 0n])
    expect(await causes()).toContain('output:1')
  })

  it('is not written off while no other stands deep enough in its place, nor one that was never credited', async () => {
    const { txid, writeOff, balance } = await credited()
    expect(await writeOff()).toMatchObject({ status: 409, code: 'deposit_not_lost' })
    await spendOtherwise(txid, 1)
    expect(await writeOff()).toMatchObject({ status: 409, code: 'deposit_not_lost' })
    await chain.mineAndWork('Bitcoin')
    expect(await writeOff()).toMatchObject({ status: 200 })
    expect([await balance(), await difference()]).toEqual([0, 0n])
    const unknown = await operator.sendJson('POST', '/operate/deposit/Bitcoin-x-0/write-off', { reason: 'a test' })
    expect(unknown.status).toBe(404)
  })
})
