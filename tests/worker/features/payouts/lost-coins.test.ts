import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { FAUCET } from '../../../../devnet/premine.ts'
import { connect } from '../../../kit/call-devnet.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi } from '../items/api.ts'
import { newCustomer } from '../payments/customer.ts'
import { newUser, paidItem, readAnswer, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
beforeEach(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  chain.setAhead(0)
})

/** A wallet that is not the service's. */
const faucet = (method: string, ...params: unknown[]) => connect(chain.devnet, 'Bitcoin', FAUCET)(method, ...params)

/** Signs and sends a payment of a wallet that is not the service's. Returns its txid. */
function send(spends: { txid: string; vout: number }[], outputs: Record<string, string>): string {
  const raw = faucet('createrawtransaction', spends, outputs)
  const { hex } = Object(faucet('signrawtransactionwithwallet', raw))
  return String(faucet('sendrawtransaction', hex, 0))
}

/** A coin of the service's wallet, and that coin's transaction taken off the chain for good: what it spent is spent otherwise. */
function fund(coins: string) {
  const [coin] = (faucet('listunspent') as { txid: string; vout: number; amount: number }[]).filter(
    ({ amount }) => amount > 1,
  )
  if (!coin) throw new Error('no coin')
  const rest = (less: number) => (coin.amount - less).toFixed(8)
  const own = () => String(faucet('getnewaddress'))
  const before = send([coin], { [own()]: rest(0.001) })
  const mine = String(chain.callWallet('Bitcoin', 'getnewaddress'))
  const txid = send([{ txid: before, vout: 0 }], { [mine]: coins, [own()]: rest(Number(coins) + 0.002) })
  chain.mine('Bitcoin')
  const block = chain.call('Bitcoin', 'getbestblockhash')
  const takeAway = () => {
    chain.call('Bitcoin', 'invalidateblock', [block])
    for (const waiting of chain.call('Bitcoin', 'getrawmempool') as string[]) chain.evict('Bitcoin', waiting)
    send([coin], { [own()]: rest(0.003) })
  }
  return { txid, takeAway }
}

describe('a withdrawal whose coin comes from a cheap item that a reorganisation took back', () => {
  it('pays for both, up to what both were quoted, and both are mined', async () => {
    const customer = await newCustomer(chain)
    const before = chain.call('Bitcoin', 'getblockcount')
    const payer = await newUser()
    const item = await paidItem(chain, payer.api, 'Bitcoin')
    const height = Number(chain.call('Bitcoin', 'getblockcount'))
    expect(height).toBeGreaterThan(Number(before))
    await chain.mineAndWork('Bitcoin', 3)
    expect(await showItem(payer.api, item)).toMatchObject({ status: '200 OK' })
    const { id } = await customer.withdraw('0.1')
    const show = async () => Object(await customer.withdrawal(id))
    await chain.work('Bitcoin')
    const tx_chains = async (condition: string) =>
      (await env.DB.prepare(`SELECT tx_chain, fee, vsize, state FROM transactions WHERE ${condition}`).all()).results
    const [own] = await tx_chains(`withdrawal_id = '${id}'`)
    const [written] = await tx_chains(`item_id = '${item}'`)
    // It spends what the tx chain of the item had left.
    const coin = await env.DB.prepare('SELECT coin_txid FROM withdrawals WHERE id = ?').bind(id).first('coin_txid')
    const end = await env.DB.prepare('SELECT txid FROM transactions WHERE item_id = ?').bind(item).first('txid')
    expect(coin).toBe(end)
    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getblockhash', [height + 1])])
    await chain.passBy('Bitcoin', 5)
    chain.callWallet('Bitcoin', 'devsetfeerate', [0.01])
    await chain.passBy('Bitcoin', 8)
    const bumps = await tx_chains('item_id IS NULL AND withdrawal_id IS NULL AND dead = 0')
    expect(bumps).toMatchObject([{ tx_chain: own?.tx_chain, state: 'sent' }])
    const paid = [own, written, ...bumps].reduce((sum, row) => sum + Number(row?.fee), 0)
    const size = [own, written, ...bumps].reduce((sum, row) => sum + Number(row?.vsize), 0)
    // Twice what each of them was quoted.
    expect(paid / size).toBeCloseTo((2 * Number(written?.fee)) / Number(written?.vsize), 0)
    expect(await env.DB.prepare("SELECT COUNT(*) AS n FROM failed_records WHERE kind = 'tx_chain'").first('n')).toBe(0)
    chain.callWallet('Bitcoin', 'devsetfeerate')
    await chain.mineAndWork('Bitcoin', 3)
    expect([(await show()).state, (await showItem(payer.api, item)).status]).toEqual(['confirmed', '200 OK'])
  })
})

describe('a withdrawal whose coin comes from a transaction that never returns to the chain', () => {
  it('is named after 36 blocks with what to do, and ends when the operator has abandoned that transaction', async () => {
    const operator = callApi((await signIn('admin')).headers)
    const customer = await newCustomer(chain)
    // The smallest coin that is enough.
    const { txid, takeAway } = fund('0.2005')
    await chain.mineAndWork('Bitcoin')
    const { id, to } = await customer.withdraw('0.2')
    const show = async () => Object(await customer.withdrawal(id))
    await chain.work('Bitcoin')
    expect(await show()).toMatchObject({ state: 'sent' })
    takeAway()
    await chain.mineAndWork('Bitcoin', 40)
    expect(await show()).toMatchObject({
      state: 'sent',
      message: expect.stringMatching(/left the chain, .* or the operator gives it up/),
      since: expect.any(Number),
    })
    const { chains } = await readAnswer(await operator.send('GET', '/operate/health'))
    const { incidents } = Object(Object(chains).Bitcoin)
    const reason = expect.stringMatching(
      new RegExp(`1 withdrawal \\(${id}: It waits: a transaction that .* left the chain, .* \\(${txid}\\): `),
    )
    expect(incidents).toContainEqual(expect.objectContaining({ code: 'not_moved', reason }))
    const mail = await env.DB.prepare("SELECT about FROM mails WHERE template = 'incident'").first<string>('about')
    for (const words of [id, txid, 'abandontransaction', '/v0/operate/withdrawal/<id>']) expect(mail).toContain(words)

    const act = { act: 'refund', reason: 'its coin is gone' }
    expect(await readAnswer(await operator.sendJson('POST', `/operate/withdrawal/${id}`, act))).toMatchObject({
      status: 200,
    })
    chain.setAhead(3_600_000)
    await chain.mineAndWork('Bitcoin', 8)
    expect(await show()).toMatchObject({ state: 'sent', message: expect.stringContaining('abandoned by the operator') })
    chain.callWallet('Bitcoin', 'abandontransaction', [txid])
    chain.setAhead(7_200_000)
    await chain.mineAndWork('Bitcoin', 8)
    expect([await customer.balance(), (await show()).state]).toEqual([0.5, 'refunded'])
    expect(chain.call('Bitcoin', 'getreceivedbyaddress', [to, 1])).toBe(0)
  })
})
