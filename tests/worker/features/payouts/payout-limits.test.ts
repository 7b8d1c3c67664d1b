import { env } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { findPayoutLimit } from '../../../../worker/features/payouts/pay/prepare-payout.ts'
import { giveUp } from '../../../../worker/features/transactions/sign/give-up.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import type { PayoutLimits } from '../../../../worker/platform/config/config.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi } from '../items/api.ts'
import { askWithdrawal, get, listWithdrawals, payDeposit } from '../payments/customer.ts'
import { newUser } from '../payments/pay-for-items.ts'

const NONE: PayoutLimits = { hour: undefined, day: undefined, accountHour: undefined, accountDay: undefined }
const sums = (own: [bigint, bigint], all: [bigint, bigint]) => ({
  own: { hour: own[0], day: own[1] },
  all: { hour: all[0], day: all[1] },
})

describe('the limits on payouts', () => {
  it('let pass what is at most as much as each of them', () => {
    expect(findPayoutLimit(10n ** 30n, sums([0n, 0n], [0n, 0n]), NONE)).toBeUndefined()
    const limits = { hour: 10n, day: 20n, accountHour: 5n, accountDay: 8n }
    expect(findPayoutLimit(5n, sums([0n, 3n], [5n, 15n]), limits)).toBeUndefined()
  })

  it('name the first that is passed, those of the account first', () => {
    const limits = { hour: 10n, day: 20n, accountHour: 5n, accountDay: 8n }
    expect(findPayoutLimit(6n, sums([0n, 0n], [10n, 20n]), limits)).toContain('one account may take out in an hour')
    expect(findPayoutLimit(4n, sums([0n, 5n], [10n, 20n]), limits)).toContain('one account may take out in a day')
    expect(findPayoutLimit(4n, sums([0n, 0n], [7n, 20n]), limits)).toContain('the service pays out in an hour')
    expect(findPayoutLimit(4n, sums([0n, 0n], [0n, 17n]), limits)).toContain('the service pays out in a day')
  })
})

describe('a withdrawal above a limit', () => {
  const chain = useDevnet()

  it('is held until an operator approves it, while smaller ones of it and of others are sent', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const account = async () => {
      const { api, userId } = await newUser()
      await payDeposit(chain, api, '0.9')
      return { ...api, userId }
    }
    const [ada, bob] = [await account(), await account()]
    await chain.confirm('Bitcoin', 2)
    const ask = async (api: typeof ada, amount: string) => {
      const address = chain.call('Bitcoin', 'getnewaddress')
      return String((await askWithdrawal(api, { address, amount })).id)
    }
    const states = async (api: typeof ada) =>
      Object.fromEntries((await listWithdrawals(api)).map(({ id, state }) => [id, state]))
    const limits = { ...NONE, hour: 50_000_000n, accountHour: 30_000_000n }
    const work = async () => await chain.work('Bitcoin', { payoutLimits: limits })
    const large = await ask(ada, '0.4')
    const small = await ask(ada, '0.2')
    await work()
    const second = await ask(ada, '0.2')
    const others = await ask(bob, '0.3')
    const more = await ask(bob, '0.01')
    await work()
    expect(await states(ada)).toEqual({ [large]: 'held', [small]: 'sent', [second]: 'held' })
    expect(await states(bob)).toEqual({ [others]: 'sent', [more]: 'held' })
    expect(await listWithdrawals(ada)).toContainEqual(
      expect.objectContaining({ id: large, message: expect.stringContaining('(0.3)'), since: expect.any(Number) }),
    )
    const operator = callApi((await signIn('admin')).headers)
    const approve = async () =>
      await operator.sendJson('POST', `/operate/withdrawal/${large}`, { act: 'approve', reason: 'known to us' })
    const { records } = await get(operator, '/operate/failed-records')
    const { userId } = bob
    expect(records).toContainEqual(
      expect.objectContaining({
        ...{ id: `Bitcoin-held-${more}`, kind: 'held', owner: userId, reason: expect.stringContaining('(0.3)') },
        ...{ actions: ['retry'], since: expect.any(Number) },
      }),
    )
    expect((await approve()).status).toBe(200)
    expect((await approve()).status).toBe(409)
    const order = { action: 'retry', reason: 'known to us, too' }
    const retry = async () => await operator.sendJson('POST', `/operate/failed-records/Bitcoin-held-${more}`, order)
    expect((await retry()).status).toBe(200)
    expect((await retry()).status).toBe(404)
    await work()
    expect(await states(ada)).toEqual({ [large]: 'sent', [small]: 'sent', [second]: 'held' })
    expect(await states(bob)).toEqual({ [others]: 'sent', [more]: 'sent' })
    expect((await ada.send('DELETE', `/withdrawal/${second}`)).status).toBe(200)
    chain.mine('Bitcoin', 2)
    await work()
    expect(warn).toHaveBeenCalledWith('payout_held', 'Bitcoin', large, expect.any(String))
    warn.mockRestore()
  })

  it('was counted when it was signed, and is not held where it has to be signed again', async () => {
    const { api } = await newUser()
    await payDeposit(chain, api, '0.9')
    await chain.confirm('Bitcoin', 2)
    const work = async () => await chain.work('Bitcoin', { payoutLimits: { ...NONE, accountHour: 30_000_000n } })
    await askWithdrawal(api, { address: chain.call('Bitcoin', 'getnewaddress'), amount: '0.2' })
    await work()
    const [sent] = await listWithdrawals(api)
    chain.evict('Bitcoin', String(sent?.txid))
    const given = (await selectUnmined(env.DB, 'Bitcoin')).filter(({ txid }) => txid === sent?.txid)
    await batchIf(env.DB, giveUp(env.DB, 'Bitcoin', given))
    await work()
    expect(await listWithdrawals(api)).toMatchObject([{ state: 'sent', txid: expect.any(String) }])
  })
})
