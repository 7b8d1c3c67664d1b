import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { COIN } from '../../../../protocol/chains.ts'
import { limitsOf, readAllowance } from '../../../../worker/features/items/allowance.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add } from '../../rows.ts'
import { newUser } from '../payments/pay-for-items.ts'

const NOW = Date.UTC(2026, 10, 24)
const DAY = 86_400_000
const config = readConfig({ ...env, PRICE_PER_KIB_IPFS: '0.00001', IPFS_PAYMENT_CHAIN: 'Nativecoin' })
const [few, first] = [config.beforePayment.items, config.beforePayment.bytes]
const unpaid = ({ unpaidItems, unpaidBytes }: ReturnType<typeof limitsOf>) => ({ unpaidItems, unpaidBytes })
/** What stores so many MiB on IPFS, in base units. */
const unitsFor = (count: bigint) => (count * 1024n * COIN) / 100_000n
const mib = (count: bigint) => [{ blockchain: 'Nativecoin', amount: unitsFor(count) }]

describe('what an account may hold that is not paid for', () => {
  it('is little while it never paid', () => {
    expect(unpaid(limitsOf(false, [], config))).toEqual({ unpaidItems: few, unpaidBytes: first })
    expect([few, first]).toEqual([2_000, 100_000_000])
  })

  it('is what ten times the money would store that was credited, up to the quota', () => {
    const { unpaidItems, unpaidBytes } = config.quotas
    expect(unpaid(limitsOf(true, mib(5n), config))).toEqual({ unpaidItems, unpaidBytes: first + 50 * 2 ** 20 })
    expect(unpaid(limitsOf(true, mib(100_000n), config))).toEqual({ unpaidItems, unpaidBytes })
  })

  it('is never above the quota, nor below what is allowed before a payment', () => {
    const small = { ...config, quotas: { ...config.quotas, unpaidItems: 3, unpaidBytes: 10 } }
    expect(unpaid(limitsOf(false, [], small))).toEqual({ unpaidItems: 3, unpaidBytes: 10 })
    expect(limitsOf(true, [{ blockchain: 'Bitcoin', amount: 0n }], config).unpaidBytes).toBe(first)
  })

  it('counts the network of a chain, where storing has no price of its own', () => {
    // 80 bytes a transaction at the least fee rate that Bitcoin relays: some 3 virtual bytes, and 3 base units, a byte.
    const { unpaidBytes } = limitsOf(true, [{ blockchain: 'Bitcoin', amount: 1_000_000n }], config)
    expect(unpaidBytes - first).toBeGreaterThan(2_000_000)
    expect(unpaidBytes - first).toBeLessThan(10_000_000)
  })

  it('is read from the credits of the last 90 days alone', async () => {
    const { userId } = await newUser()
    const read = async () => {
      const { limits, hasPaid } = await readAllowance(env.DB, userId, config, NOW)
      return { hasPaid, bytes: limits.unpaidBytes }
    }
    const entry = async (seq: number, amount: bigint, cause: string, at: number) =>
      await add('ledger', {
        ...{ user_id: userId, blockchain: 'Nativecoin', seq, amount: String(amount), balance: '5' },
        ...{ cause: `${cause}:${userId}:${seq}`, created_at: at },
      })
    const amount = unitsFor(5n)
    expect(await read()).toEqual({ hasPaid: false, bytes: first })
    await entry(1, amount, 'output', NOW - 91 * DAY)
    await entry(2, amount, 'withdrawal', NOW)
    expect(await read()).toEqual({ hasPaid: true, bytes: first })
    await entry(3, amount, 'output', NOW - 89 * DAY)
    expect(await read()).toEqual({ hasPaid: true, bytes: first + 50 * 2 ** 20 })
  })
})
