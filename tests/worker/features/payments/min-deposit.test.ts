import { env } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { hasWork } from '../../../../worker/agent/has-work.ts'
import { agentContext } from '../../../../worker/chain/follower/agent-context.ts'
import { selectTip } from '../../../../worker/chain/follower/blocks.ts'
import { creditBalances } from '../../../../worker/features/payments/credit-balances.ts'
import { assertSmallStatement, selectSmallDeposits } from '../../../../worker/features/payments/sql/small-deposits.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'
import { fetchApi } from '../../fetch-api.ts'
import { add, clear, list } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { askPayment, mergedItem, newUser, readAnswer } from './pay-for-items.ts'

const chain = useDevnet()
type User = Awaited<ReturnType<typeof newUser>>

const moneyOf = async ({ api }: User) => {
  const { balances, pending } = await readAnswer(await api.send('GET', '/user'))
  const of = (coins: unknown) => (coins as Record<string, number>).Bitcoin
  return { balance: of(balances), pending: of(pending) }
}
const addressOf = async ({ api }: User) => await readAnswer(await api.send('GET', '/payment/Bitcoin'))
const deposit = async (user: User, coins: string) => {
  const { address } = await addressOf(user)
  const txid = chain.pay('Bitcoin', address, coins)
  await chain.confirm('Bitcoin', 2)
  return { address, txid }
}

describe('a deposit below the least one', () => {
  it('is pending until the deposits of its account come to that together', async () => {
    await chain.work('Bitcoin')
    const user = await newUser()
    const { address } = await deposit(user, '0.00003')
    expect(await moneyOf(user)).toEqual({ balance: 0, pending: 0.00003 })
    const shown = await readAnswer(await user.api.send('GET', `/payment?address=${address}`))
    expect(shown).toMatchObject({ state: 'seen', received: 0.00003, credited: 0, minDeposit: 0.0000546 })
    await deposit(user, '0.00002459')
    expect(await moneyOf(user)).toEqual({ balance: 0, pending: 0.00005459 })
    await deposit(user, '0.00001')
    expect(await moneyOf(user)).toEqual({ balance: 0.00006459, pending: 0 })
    const told = await env.DB.prepare(`SELECT 1 FROM events WHERE user_id = ? AND type = 'deposit.credited'`)
    const { results } = await told.bind(user.userId).all()
    expect(results).toHaveLength(3)
  })

  it('is credited where it is exactly that', async () => {
    const user = await newUser()
    await deposit(user, '0.0000546')
    expect(await moneyOf(user)).toEqual({ balance: 0.0000546, pending: 0 })
  })

  it('counts in the reconciliation, and keeps neither the agent awake nor an incident open', async () => {
    const user = await newUser()
    await deposit(user, '0.00003')
    const { headers } = await signIn('admin')
    const answer = await readAnswer(await fetchApi('GET', '/v0/operate/reconciliation', { headers }))
    const [bitcoin] = (answer.chains as Record<string, unknown>[]).filter(({ blockchain }) => blockchain === 'Bitcoin')
    expect(bitcoin).toMatchObject({ difference: 0 })
    for (const blocks of [1, 40]) {
      await chain.confirm('Bitcoin', blocks)
    }
    expect(await list('incidents', 'code')).toEqual([])
    await env.DB.prepare('UPDATE addresses SET created_at = 0').run()
    const context = agentContext(env, 'Bitcoin')
    expect(context && (await hasWork({ ...context, now: Date.now() }))).toBe(false)
  })

  it('is credited when the operator lowers the least deposit', async () => {
    const user = await newUser()
    await deposit(user, '0.00003')
    expect(await moneyOf(user)).toMatchObject({ balance: 0 })
    await chain.work('Bitcoin', { minDeposit: 3_000n })
    expect(await moneyOf(user)).toEqual({ balance: 0.00003, pending: 0 })
  })

  it('does not count while a reorganisation has taken it off the chain, and does when it is back', async () => {
    const user = await newUser()
    const { txid: paid } = await deposit(user, '0.00003')
    const below = await list('outputs', 'block_height')
    chain.call('Bitcoin', 'invalidateblock', [chain.call('Bitcoin', 'getblockhash', [Math.max(...below.map(Number))])])
    const raw = chain.call('Bitcoin', 'getrawtransaction', [paid])
    chain.evict('Bitcoin', paid)
    await deposit(user, '0.00003')
    expect((await moneyOf(user)).balance).toBe(0)
    chain.call('Bitcoin', 'sendrawtransaction', [raw])
    await chain.confirm('Bitcoin', 2)
    expect(await moneyOf(user)).toEqual({ balance: 0.00006, pending: 0 })
  })

  it('counts for deposits alone: what came late for a request is credited whatever it is', async () => {
    const user = await newUser()
    const id = await mergedItem(user.api, 'Bitcoin')
    const { address } = await askPayment(user.api, [id], 'Bitcoin')
    await user.api.sendJson('DELETE', '/payment', { address })
    chain.pay('Bitcoin', address, '0.00001')
    await chain.confirm('Bitcoin', 2)
    expect(await moneyOf(user)).toEqual({ balance: 0.00001, pending: 0 })
  })

  it('is not made up for by what came late for a request in the same block', async () => {
    const user = await newUser()
    const { address } = await askPayment(user.api, [await mergedItem(user.api, 'Bitcoin')], 'Bitcoin')
    await user.api.sendJson('DELETE', '/payment', { address })
    chain.pay('Bitcoin', address, '0.00003')
    await deposit(user, '0.00003')
    expect(await moneyOf(user)).toEqual({ balance: 0.00003, pending: 0.00003 })
  })

  it('is credited with one that another step finds small at the same time', async () => {
    const user = await newUser()
    await chain.work('Bitcoin')
    const context = agentContext(env, 'Bitcoin')
    const tip = await selectTip(env.DB, 'Bitcoin')
    if (!context || !tip) throw new Error('no chain')
    const { address } = await addressOf(user)
    const mined = { address: String(address), block_hash: tip.hash, block_height: tip.height, amount: '3000' }
    await add('outputs', { ...mined, txid: 'own' })
    const rule = { tipHeight: tip.height, confirmations: 1, coinbaseMaturity: 100 }
    let others = [{ ...mined, txid: 'other', below: 5_460 }]
    // The other step comes between what this one reads and what it writes.
    const batch = env.DB.batch.bind(env.DB)
    const meanwhile = vi.spyOn(env.DB, 'batch').mockImplementation(async (...given: Parameters<typeof batch>) => {
      const now = others
      others = []
      if (now.length > 0) await add('outputs', ...now)
      return await batch(...given)
    })
    await creditBalances({ ...context, now: Date.now() }, tip, rule)
    meanwhile.mockRestore()
    await creditBalances({ ...context, now: Date.now() }, tip, rule)
    expect(await moneyOf(user)).toEqual({ balance: 0.00006, pending: 0 })
  })

  it('is said with each address', async () => {
    const user = await newUser()
    expect(await addressOf(user)).toMatchObject({ minDeposit: 0.0000546 })
    const { minDeposits } = await readAnswer(await user.api.send('GET', '/user'))
    expect(minDeposits).toEqual({ Nativecoin: 0.0000546, Dogecoin: 0.1, Bitcoin: 0.0000546 })
  })

  it('is not marked so where another step has seen enough', async () => {
    await clear('outputs', 'payment_request_items', 'payment_requests', 'addresses')
    await add('addresses', { address: 'a' }, { address: 'b', kind: 'request' }, { address: 'c', user_id: 'bob' })
    const mined = { block_hash: 'h', block_height: 5, amount: '10' }
    await add(
      'outputs',
      { ...mined, txid: 'one', address: 'a', below: 20 },
      { ...mined, txid: 'two', address: 'a' },
      ...[
        { txid: 'request', address: 'b' },
        { txid: 'bobs', address: 'c' },
        { txid: 'credited', address: 'a', credited: 1 },
      ].map((row) => ({ ...mined, ...row })),
      { ...mined, txid: 'shallow', address: 'a', block_height: 6 },
      { ...mined, txid: 'coinbase', address: 'a', block_height: 4, coinbase: 1 },
    )
    const isSmall = async (least: bigint) =>
      await batchIf(env.DB, [
        assertSmallStatement(env.DB, 'Bitcoin', 'ada', { height: 5, coinbaseHeight: 3, above: [], least }),
      ])
    expect([await isSmall(21n), await isSmall(20n)]).toEqual([true, false])
  })

  it('is counted with those that are as deep, and with mined coins that have matured', async () => {
    await clear('outputs', 'payment_request_items', 'payment_requests', 'addresses')
    const others = [
      { address: 'b', state: 'retired' },
      { address: 'a', blockchain: 'Dogecoin' },
    ]
    await add('addresses', { address: 'a' }, ...others)
    const small = { address: 'a', amount: '10', block_hash: 'h', below: 20 }
    await add(
      'outputs',
      { ...small, txid: 'deep', block_height: 5 },
      { ...small, txid: 'shallow', block_height: 6 },
      { ...small, txid: 'mature', block_height: 3, coinbase: 1 },
      { ...small, txid: 'immature', block_height: 4, coinbase: 1 },
      { ...small, txid: 'elsewhere', block_height: 5, blockchain: 'Dogecoin' },
    )
    const rule = { height: 5, coinbaseHeight: 3, above: [], least: 20n, limit: 10 }
    const counted = await selectSmallDeposits(env.DB, 'Bitcoin', 'ada', rule)
    expect(counted.map(({ txid }) => txid).toSorted()).toEqual(['deep', 'mature'])
  })
})
