import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { ALL_USED } from '../../../../worker/features/accounts/read-profile.ts'
import { quotaRefusal } from '../../../../worker/features/auth/quotas.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add, clear } from '../../rows.ts'

const { quotas } = readConfig(env)
const limits = { ...quotas, keys: 2, sites: 1 }
beforeEach(async () => {
  await clear('api_keys', 'sites', 'users')
  await add('users', { id: 'ada' })
})

const refusal = async (...given: [Parameters<typeof quotaRefusal>[4], typeof limits?]) =>
  await quotaRefusal(env.DB, 'ada', ALL_USED, limits, ...given)

describe('the refusal of what would pass a quota', () => {
  it('is none up to it, and looks at those alone that something is added to', async () => {
    await add('api_keys', { id: 'a' })
    await add('sites', { id: 's' }, { id: 't' })
    expect(await refusal({ keys: 1 })).toBeUndefined()
    expect(await refusal({ keys: 2 })).toMatchObject({ status: 409, details: { quota: 'keys', limit: 2, used: 1 } })
    expect(await refusal({ keys: 1, sites: 1 })).toMatchObject({ details: { quota: 'sites', limit: 1, used: 2 } })
  })

  it('says what helps: a deposit, less of what is there, or less at once', async () => {
    const message = async (...given: Parameters<typeof refusal>) => (await refusal(...given))?.message
    expect(await message({ keys: 3 })).toBe(
      'An account may have 2 API keys; you have 0, and this adds 3. You can send less at once.',
    )
    expect(await message({ keys: 3 }, { ...limits, keys: 9 })).toContain(
      'pay into your balance first, which raises it to at most 9',
    )
    await add('api_keys', { id: 'a' }, { id: 'b' })
    const passed = 'An account may have 2 API keys; you have 2, and this adds 1.'
    expect(await message({ keys: 1 })).toBe(`${passed} You can pay for, end or delete some first.`)
  })

  it('leaves nothing to do where nothing is there and one is too many', async () => {
    const none = { ...limits, keys: 0 }
    expect((await quotaRefusal(env.DB, 'ada', ALL_USED, none, { keys: 1 }))?.message).toMatch(/adds 1\.$/)
  })
})
