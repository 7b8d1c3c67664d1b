import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { formatAmount, parseAmount } from '../../../../protocol/amount.ts'
import { dayOf, spendStatements } from '../../../../worker/features/auth/sql/api-keys.ts'
import { spendByKey } from '../../../../worker/features/payments/spend-by-key.ts'
import { insertLedgerStatement, selectLedgerTail } from '../../../../worker/features/payments/sql/ledger.ts'
import { now } from '../../../../worker/platform/clock.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'
import { add } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi } from '../items/api.ts'
import { askPayment, mergedItem, newUser, showItem } from './pay-for-items.ts'

useDevnet()
const DAY = 86_400_000
/** The same for all, so that all cost the same. */
const CONTENT = Uint8Array.from(Buffer.from('Kept on a chain.'))

let user: Awaited<ReturnType<typeof signIn>>
/** Base units that one item costs. */
let price: bigint
beforeEach(async () => {
  user = await signIn()
  const account = { userId: user.userId, blockchain: 'Nativecoin' } as const
  const money = [{ amount: 100_000_000n, cause: `deposit:${user.userId}` }]
  await insertLedgerStatement(env.DB, account, { seq: 0, balance: 0n }, money, now()).run()
  const { api } = await newUser()
  const { amount } = await askPayment(api, [await mergedItem(api, 'Nativecoin', CONTENT)], 'Nativecoin')
  price = parseAmount(String(amount))
})

/** The API by a key with these limits in base units. */
async function keyWith(limits: Record<string, bigint>) {
  const spending = Object.fromEntries(Object.entries(limits).map(([name, units]) => [name, formatAmount(units)]))
  const body = { name: 'ci', scopes: ['store', 'pay'], spending }
  const response = await callApi(user.headers).sendJson('POST', '/user/keys', body)
  const { id, key }: { id: string; key: string } = await response.json()
  return { id, ...callApi({ Authorization: `Bearer ${key}` }) }
}

const item = () => mergedItem(callApi(user.headers), 'Nativecoin', CONTENT)
const spent = async () => 100_000_000n - (await selectLedgerTail(env.DB, user.userId, 'Nativecoin')).balance

describe('an API key that pays from the balance', () => {
  it('A44: spends up to its limit on a day, and is refused above it, which changes nothing', async () => {
    const api = await keyWith({ Nativecoin: 2n * price + 1n })
    for (let i = 0; i < 2; i++)
      expect(await askPayment(api, [await item()], 'Nativecoin')).toMatchObject({ status: 200 })
    const third = await item()
    expect(await askPayment(api, [third], 'Nativecoin')).toMatchObject({
      status: 403,
      code: 'spending_limit',
      message: expect.stringContaining(`has spent ${formatAmount(2n * price)} Nativecoin`),
    })
    expect(await spent()).toBe(2n * price)
    expect(await showItem(api, third)).toMatchObject({ status: '402 Payment Required' })
    // Its owner is not bound by it.
    expect(await askPayment(callApi(user.headers), [third], 'Nativecoin')).toMatchObject({ status: 200 })
  })

  it('may spend again on the next day, by UTC', async () => {
    const api = await keyWith({ Nativecoin: price })
    const [first, second] = [await item(), await item()]
    expect(await askPayment(api, [first], 'Nativecoin')).toMatchObject({ status: 200 })
    const start = now()
    const midnight = start - (start % DAY) + DAY
    vi.spyOn(Date, 'now').mockReturnValue(midnight - 1)
    expect(await askPayment(api, [second], 'Nativecoin')).toMatchObject({ status: 403 })
    vi.spyOn(Date, 'now').mockReturnValue(midnight)
    expect(await askPayment(api, [second], 'Nativecoin')).toMatchObject({ status: 200 })
    vi.spyOn(Date, 'now').mockReturnValue(start)
  })

  it('A44: never passes its limit by payments at once', async () => {
    const api = await keyWith({ Nativecoin: 2n * price })
    const items = []
    for (let i = 0; i < 5; i++) items.push(await item())
    const answers = await Promise.all(items.map((id) => askPayment(api, [id], 'Nativecoin')))
    expect(await spent()).toBeLessThanOrEqual(2n * price)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(Number((await spent()) / price))
  })

  it('counts what it pays of a request that is open', async () => {
    const api = await keyWith({ Nativecoin: price })
    const [first, second] = [await item(), await item()]
    const open = { blockchain: 'Nativecoin', ids: [first], maxFromBalance: '0' }
    expect((await callApi(user.headers).sendJson('POST', '/payment', open)).status).toBe(402)
    expect(await askPayment(api, [first], 'Nativecoin')).toMatchObject({ status: 200 })
    expect(await askPayment(api, [second], 'Nativecoin')).toMatchObject({ status: 403, code: 'spending_limit' })
    expect(await spent()).toBe(price)
  })

  it('with a limit for another chain only spends nothing here', async () => {
    const api = await keyWith({ Bitcoin: 100_000_000n })
    expect(await askPayment(api, [await item()], 'Nativecoin')).toMatchObject({ status: 403, code: 'spending_limit' })
    expect(await spent()).toBe(0n)
  })

  it('that was revoked a moment ago does not pay any more: the batch of the payment fails', async () => {
    const { id } = await keyWith({ Nativecoin: price })
    const at = { keyId: id, blockchain: 'Nativecoin', day: dayOf(now()) } as const
    const spend = () => batchIf(env.DB, spendStatements(env.DB, at, { spent: 0n, amount: 1n }))
    expect(await spend()).toBe(true)
    // Somebody else has spent meanwhile.
    expect(await spend()).toBe(false)
    await env.DB.prepare('DELETE FROM api_keys WHERE id = ?').bind(id).run()
    expect(await spend()).toBe(false)
  })

  it('that was revoked, or expired, after the call was let in is refused as one that ended', async () => {
    const spend = (id: string) => spendByKey(env.DB, { id, spending: {} }, { blockchain: 'Bitcoin', amount: 1n }, 100)
    await add('api_keys', { id: 'expired', user_id: user.userId, expires_at: 100 })
    for (const id of ['revoked', 'expired']) {
      await expect(spend(id)).rejects.toMatchObject({ status: 401, code: 'token_invalid' })
    }
  })
})
